import { carriedBlocksTable } from '../../../shared/columns/carried-blocks.ts'
import type { CarryList } from '../../../shared/contract/carry.ts'
import type { OperationInput } from '../../../shared/contract/index.ts'
import type { Client } from '../client.ts'
import { count, counted, dollars, plain, table } from '../table.ts'
import { answered, listed } from './reading-command.ts'
import type { Printed } from './reading-command.ts'

type By = CarryList['by']

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

/** `aspy carry`: what it cost to carry groups of blocks, or each block of a session. */
export function carry(
  client: Client,
  input: OperationInput<'carry.list'>,
  { blocks }: { readonly blocks?: boolean | undefined },
): Promise<Printed> {
  const { session_id, limit, since, until } = input
  return blocks === true && session_id !== undefined
    ? answered(client, 'carry.session', { session_id, limit, since, until }, blocksText)
    : answered(client, 'carry.list', input, groupsText)
}

function groupsText(found: CarryList): string {
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
  return total.requests === 0 ? 'No requests yet.' : [rows, notes.join('\n')].join('\n\n')
}

function labelOf({ key, label }: { key: string | null; label: string | null }, by: By): string {
  if (key === null) return NONE[by]
  return plain(label === null ? key : `${label.split('\n', 1)[0] ?? ''} (${key})`)
}

const blocksText = listed(carriedBlocksTable, 'No blocks are known.')
