import type { CARRY_GROUPS } from '../../../shared/contract/carry.ts'
import type { Client } from '../client.ts'
import { count, counted, dollars, plain, table, when } from '../table.ts'
import { requireSession } from './require-session.ts'
import type { Printed, ScopeFlags } from './reading.ts'

type By = (typeof CARRY_GROUPS)[number]

const TITLES: Readonly<Record<By, string>> = {
  kind: 'Kind',
  tool: 'Tool',
  mcp_server: 'MCP server',
  file: 'File',
  agent: 'Agent',
  prompt: 'Prompt',
  session: 'Session',
  project: 'Project',
}
/** The group of everything that belongs to none. */
const NONE: Readonly<Record<By, string>> = {
  kind: '-',
  tool: '(no tool)',
  mcp_server: '(no MCP server)',
  file: '(no file)',
  agent: '(main agent)',
  prompt: '-',
  session: '-',
  project: '(no project)',
}

export async function carry(
  client: Client,
  { by, limit, session, project, since, until, blocks }: ScopeFlags & { by?: string; blocks?: boolean },
): Promise<Printed> {
  if (blocks === true && session !== undefined) return carriedBlocks(client, session, { limit, since, until })
  const input = { limit, session_id: session, project, since, until }
  // The operation checks the name.
  const found = await client.call('carry.list', { ...input, by: by as By | undefined })
  if (found.total.requests === 0) await requireSession(client, session)
  const rows = table(found.items, [
    { title: TITLES[found.by], of: (row) => labelOf(row, found.by) },
    { title: 'Blocks', of: (row) => count(row.blocks), right: true },
    { title: 'Carried by', of: (row) => count(row.requests), right: true },
    { title: 'Cache read', of: (row) => count(Math.round(row.read_tokens)), right: true },
    { title: 'Cache write', of: (row) => count(Math.round(row.written_tokens)), right: true },
    { title: 'Input', of: (row) => count(Math.round(row.uncached_tokens)), right: true },
    { title: 'Cost', of: (row) => dollars(row.usd), right: true },
  ])
  const { total, unknown, never_called: unused } = found
  const notes = [
    `${dollars(total.usd)} for the input of ${counted(total.requests, 'request')}.`,
    ...(unknown.requests === 0
      ? []
      : [
          `${dollars(unknown.usd)} of it is unknown: the blocks of ${counted(unknown.requests, 'request')} are not stored.`,
        ]),
    ...(unused.tools === 0 ? [] : [`${counted(unused.tools, 'MCP tool')}, never called, cost ${dollars(unused.usd)}.`]),
    ...(total.unpriced === 0 ? [] : [`No price is known for ${counted(total.unpriced, 'request')}.`]),
  ]
  const text = [rows, notes.join('\n')].join('\n\n')
  return { json: found, text: total.requests === 0 ? 'No requests yet.' : text }
}

function labelOf({ key, label }: { key: string | null; label: string | null }, by: By): string {
  if (key === null) return NONE[by]
  return plain(label === null ? key : `${label.split('\n', 1)[0] ?? ''} (${key})`)
}

type Range = Readonly<Record<'limit' | 'since' | 'until', string | undefined>>

async function carriedBlocks(client: Client, session: string, range: Range): Promise<Printed> {
  const found = await client.call('carry.session', { session_id: session, ...range })
  if (found.items.length === 0) await requireSession(client, session)
  const text = table(found.items, [
    { title: 'Kind', of: (row) => row.kind },
    { title: 'What', of: (row) => row.name ?? row.tool },
    { title: 'Bytes', of: (row) => (row.bytes === null ? null : count(row.bytes)), right: true },
    { title: 'Entered', of: (row) => when(row.entered.ts_wall) },
    { title: 'Carried by', of: (row) => count(row.requests), right: true },
    { title: 'Tokens', of: (row) => count(Math.round(row.tokens)), right: true },
    { title: 'Cost', of: (row) => dollars(row.usd), right: true },
  ])
  return { json: found, text: found.items.length === 0 ? 'No blocks are known.' : text }
}
