import type { AdviceSession } from '../store/read/advice-sessions.ts'

/**
 * Groups the names of MCP servers that are one server under names that change: they begin alike, have tools of the same
 * names, and no session carried two of them. The first name comes first.
 */
export function namesOf(sessions: readonly AdviceSession[]): readonly (readonly string[])[] {
  const inOrder = sessions.toSorted((one, other) => one.started_at - other.started_at)
  const carried = new Map(inOrder.flatMap(({ servers }) => servers.map((one) => [one.server, one])))
  const alike = Map.groupBy(carried.values(), ({ server, tools }) => {
    const own = tools.map((tool) => tool.slice(`mcp__${server}__`.length)).toSorted()
    return JSON.stringify([server.split(/[_-]/, 1), own])
  })
  return [...alike.values()].flatMap((group) => {
    const names = group.map(({ server }) => server)
    const isOne = sessions.every(({ servers }) => servers.filter(({ server }) => names.includes(server)).length < 2)
    return isOne ? [names] : names.map((name) => [name])
  })
}
