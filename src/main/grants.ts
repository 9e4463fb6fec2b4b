import type { Keys } from './base/data-folder.ts'
import type { Grant } from './dispatch/grant.ts'

/** Returns what each key allows: everything, the hook route, the read-only MCP tools, or /metrics. */
export function grantsOf(keys: Keys): readonly Grant[] {
  return [
    { name: 'token', key: keys.token, access: 'all', opens: () => true },
    {
      name: 'hooks',
      key: keys.hooks,
      access: 'hooks',
      opens: (door) => typeof door === 'object' && door.isForHooks === true,
    },
    { name: 'mcp', key: keys.mcp, access: 'read', opens: (door) => door === 'mcp' },
    { name: 'metrics', key: keys.metrics, access: 'read', opens: (door) => door === 'metrics' },
  ]
}
