import { Link } from '@tanstack/react-router'
import { carryTable } from '../../../shared/columns/cache.ts'
import type { CARRY_GROUPS, CarryGroup } from '../../../shared/contract/carry.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { FilterBar } from '../../components/filters.tsx'
import { loaded } from '../../components/loaded.tsx'
import { Card } from '../../components/page.tsx'
import { Segments } from '../../components/segments.tsx'
import { type Sentence, Sentences } from '../../components/sentences.tsx'
import { Table } from '../../components/table.tsx'
import { carryLabel } from '../../../shared/carry-kinds.ts'
import { rangeSentence } from '../../lib/cost-sentence.ts'
import { formatCost, formatShare, plural } from '../../lib/format.ts'
import { useOperation } from '../../lib/operation.ts'
import { CARRY_FILTERS, CARRY_PRESET, type CarryBy, type CostsCardProps } from './costs-search.ts'
import { inSpan, spanOf } from './queries.ts'
import { toSession } from '../../lib/places.ts'

type CarryList = OperationOutput<'carry.list'>

const OPTIONS: readonly { readonly value: CarryBy; readonly name: string }[] = [
  { value: 'kind', name: 'Kind' },
  { value: 'tool', name: 'Tool' },
  { value: 'mcp_server', name: 'MCP server' },
  { value: 'file', name: 'File' },
  { value: 'skill', name: 'Skill' },
  { value: 'prompt', name: 'Prompt' },
]

/** Cost of carrying instructions, tools, files and messages through requests. */
export function CarryCard({ search, onChange }: CostsCardProps) {
  const { carry: by = CARRY_PRESET } = search
  const input = { ...CARRY_FILTERS.of(search), by, limit: 12 }
  const query = useOperation('carry.list', input, { moving: spanOf(search) })
  const { data } = query
  const empty = data?.items.length === 0 && (
    <p className="px-5 pb-4 text-small text-soft">The context appears after the first answer from the API.</p>
  )
  return (
    <Card
      title="Cost of the context"
      note="each request sends all of it: instructions, tools, files and messages"
      actions={
        <div className="flex max-w-full min-w-0 flex-wrap items-center gap-2">
          <FilterBar filters={CARRY_FILTERS} state={search} onChange={onChange} />
          <Segments
            label="Group the context by"
            options={OPTIONS}
            value={by}
            onChange={(next) => onChange({ carry: next === CARRY_PRESET ? undefined : next })}
          />
        </div>
      }
    >
      {loaded({ query, look: 'line', empty }, (data) => (
        <>
          <Sentences className="px-5 pb-4 text-body" sentences={carrySentences(data, inSpan(search))} />
          <Groups found={data} />
        </>
      ))}
    </Card>
  )
}

/** Says what input cost, its largest part as shown, and what MCP tools cost that were never called. */
function carrySentences({ items, by, total, never_called: unused }: CarryList, when: string): readonly Sentence[] {
  const cost = rangeSentence('Input cost', total.usd, when)
  const [largest] = items
  if (cost === null || largest === undefined) return []
  const share = `${formatCost(largest.usd)}, ${formatShare(largest.usd / total.usd)}`
  return [
    { text: cost },
    { text: `The largest part is “${nameOf(largest, by)}”: ${share}.` },
    ...(unused.tools === 0
      ? []
      : [{ text: `${plural(unused.tools, 'MCP tool')} never called: ${formatCost(unused.usd)}.` }]),
  ]
}

function Groups({ found: { items, by, total, estimated, unknown } }: { readonly found: CarryList }) {
  return (
    <>
      <Table
        columns={carryTable}
        rows={items.map((item) => ({ ...item, share: total.usd === 0 ? null : item.usd / total.usd }))}
        keyOf={(item) => item.key ?? ''}
        isLink={(item) => item.session_id !== null}
        cells={{ what: (item) => <Name item={item} by={by} /> }}
      />
      {estimated.requests > 0 && (
        <p className="px-5 pb-4 text-meta text-faint">
          {`${formatCost(estimated.usd)} is shared by estimate: ${plural(estimated.requests, 'request')} ${estimated.requests === 1 ? 'was' : 'were'} not captured.`}
        </p>
      )}
      {unknown.requests > 0 && (
        <p className="px-5 pb-4 text-meta text-faint">
          {`The context of ${plural(unknown.requests, 'request')} is unknown: ${formatCost(unknown.usd)}.`}
        </p>
      )}
    </>
  )
}

function Name({ item, by }: { readonly item: CarryGroup; readonly by: CarryBy }) {
  const name = nameOf(item, by)
  if (item.key === null) return <span className="text-soft">{name}</span>
  if (item.session_id === null) return by === 'kind' ? name : <span className="font-mono">{name}</span>
  return (
    <Link
      {...toSession(item.session_id, item.turn_id === null ? {} : { turn: String(item.turn_id) })}
      className="after:absolute after:inset-0"
    >
      {name}
    </Link>
  )
}

function nameOf({ key, session_id: session, label }: CarryGroup, by: CarryBy): string {
  if (key === null) return carryNone(by)
  if (session !== null) return label ?? key
  return by === 'kind' ? carryLabel(key) : key
}

const NONE: Readonly<Partial<Record<(typeof CARRY_GROUPS)[number], string>>> = {
  tool: 'No tool',
  mcp_server: 'No MCP server',
  file: 'No file',
  skill: 'No skill',
  agent: 'Main agent',
}

/** The name for blocks that belong to no group. */
const carryNone = (by: (typeof CARRY_GROUPS)[number]): string => NONE[by] ?? 'None'
