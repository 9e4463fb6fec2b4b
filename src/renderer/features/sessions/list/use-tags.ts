import { useOperation } from '../../../lib/operation.ts'

/** Returns the tags that people set on sessions. */
export function useTags(): readonly string[] {
  return useOperation('sessions.tags', {}).data?.items.map(({ tag }) => tag) ?? []
}
