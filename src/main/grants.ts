import type { Keys } from './base/data-folder.ts'
import type { Grant } from './surfaces/http/sign-in.ts'

/** What each key opens: the owner's everything, the hooks' one the hook route, MCP's one the read-only tools, that of metrics /metrics. */
export function grantsOf(keys: Keys): readonly Grant[] {
  return [
    { key: keys.token, access: 'all', opens: () => true },
    { key: keys.hooks, access: 'hooks', opens: (door) => typeof door === 'object' && door.isForHooks === true },
    { key: keys.mcp, access: 'read', opens: (door) => door === 'mcp' },
    { key: keys.metrics, access: 'read', opens: (door) => door === 'metrics' },
  ]
}
