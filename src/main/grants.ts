import type { Keys } from './base/data-folder.ts'
import type { Grant } from './dispatch/grant.ts'

/** Returns what each key allows: everything, the hook route, the read-only MCP tools, or /metrics. */
export function grantsOf(keys: Keys): readonly Grant[] {
  return [
    { key: keys.token, access: 'all', opens: () => true },
    { key: keys.hooks, access: 'hooks', opens: (door) => typeof door === 'object' && door.isForHooks === true },
    { key: keys.mcp, access: 'read', opens: (door) => door === 'mcp' },
    { key: keys.metrics, access: 'read', opens: (door) => door === 'metrics' },
  ]
}
