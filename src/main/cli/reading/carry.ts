import { carryLabel } from '../../../shared/carry-kinds.ts'
import { carryTable } from '../../../shared/columns/cache.ts'
import { carriedBlocksTable } from '../../../shared/columns/carried-blocks.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { CarryList } from '../../../shared/contract/carry.ts'
import type { OperationInput } from '../../../shared/contract/index.ts'
import type { Client } from '../client.ts'
import { counted, dollars, table } from '../table.ts'
import { answered, listed, type Printed } from './reading-command.ts'

type By = CarryList['by']

const TITLES: Readonly<Record<By, string>> = {
  kind: 'Kind',
  tool: 'Tool',
  mcp_server: 'MCP server',
  file: 'File',
  skill: 'Skill',
  agent: 'Agent',
  prompt: 'Prompt',
  session: 'Session',
  project: 'Project',
}
/** The group of everything that belongs to no other group. */
const NONE: Readonly<Record<By, string>> = {
  kind: '-',
  tool: '(no tool)',
  mcp_server: '(no MCP server)',
  file: '(no file)',
  skill: '(no skill)',
  agent: '(main agent)',
  prompt: '-',
  session: '-',
  project: '(no project)',
}

/** `aspy carry`: the cost of carrying groups of blocks, or each block of a session. */
export function carry(
  client: Client,
  input: OperationInput<'carry.list'>,
  { blocks }: { readonly blocks?: boolean | undefined },
): Promise<Printed> {
  const { session_id, limit, since, until } = input
  if (blocks === true && session_id === undefined)
    throw new AspyError('bad_input', '--blocks lists the blocks of one session: name it with --session ID')
  return blocks === true && session_id !== undefined
    ? answered(client, 'carry.session', { session_id, limit, since, until }, blocksText)
    : answered(client, 'carry.list', input, groupsText)
}

function groupsText(found: CarryList): string {
  const groups = found.items.map((row) => ({ ...row, label: labelOf(row, found.by) }))
  const rows = table(groups, carryTable, {}, { what: TITLES[found.by] })
  const { total, estimated, unknown, never_called: unused } = found
  const notes = [
    `${dollars(total.usd)} for the input of ${counted(total.requests, 'request')}.`,
    ...(estimated.requests === 0
      ? []
      : [
          `${dollars(estimated.usd)} of it is shared by estimate: ${counted(estimated.requests, 'request')} ${estimated.requests === 1 ? 'was' : 'were'} not captured.`,
        ]),
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
  if (label === null) return by === 'kind' ? carryLabel(key) : key
  return `${label.split('\n', 1)[0] ?? ''} (${key})`
}

const blocksText = listed(carriedBlocksTable, 'No blocks are recorded.')
