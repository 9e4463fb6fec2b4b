import type { OperationOutput } from '../../../shared/contract/index.ts'
import { type DataColumn, DataRow, DataTable, NumberCell } from '../../components/data-table.tsx'
import { SortHead } from '../../components/sort-head.tsx'
import type { ExportedTable } from '../../lib/export-table.ts'
import { formatCount, formatDuration, formatShare } from '../../lib/format.ts'
import type { ToolSort } from './tools-search.ts'

type Pace = OperationOutput<'tools.pace'>['items'][number]

/** A tool's totals, with its pace once that is loaded. */
export interface ToolLine {
  readonly tool: string
  readonly calls: number
  readonly success_rate: number | null
  readonly pace: Pace | undefined
}

const LATEST = 'of the latest 2,000 calls took this long or less; slowest first'
const SORTS = [
  { name: 'Calls', sort: undefined, title: 'Most calls first' },
  { name: 'p50', sort: 'p50', title: `50% ${LATEST}` },
  { name: 'p95', sort: 'p95', title: `95% ${LATEST}` },
  { name: 'Failed', sort: 'failed', title: 'Most failures first' },
  { name: 'Rejected', sort: 'refused', title: 'Rejected by the user or by settings; most first' },
] as const

interface ToolTableProps {
  readonly tools: readonly ToolLine[]
  readonly sort: ToolSort | undefined
  readonly selected: string | undefined
  readonly onSort: (sort: ToolSort | undefined) => void
  readonly onSelect: (tool: string) => void
  /** Shows the failed calls of a tool. */
  readonly onFailed: (tool: string) => void
}

/** Calls, durations and failures of each tool. */
export function ToolTable({ tools, sort, selected, onSort, onSelect, onFailed }: ToolTableProps) {
  const most = Math.max(1, ...tools.map((tool) => tool.calls))
  const columns: readonly DataColumn[] = [
    { name: 'Tool' },
    ...SORTS.map(({ name, sort: own, title }) => ({
      name,
      isNumber: true,
      sort: sort === own ? ('descending' as const) : ('none' as const),
      head: <SortHead name={name} title={title} isOn={sort === own} onSort={() => onSort(own)} />,
    })),
    { name: 'Succeeded', isNumber: true },
  ]
  return (
    <DataTable columns={columns} minWidth="min-w-[32rem]">
      {tools.map(({ tool, calls, success_rate: successRate, pace }) => (
        <DataRow key={tool} isLink isSelected={tool === selected}>
          <td className="py-2">
            <button
              type="button"
              onClick={() => onSelect(tool)}
              aria-pressed={tool === selected}
              title="Show only calls of this tool"
              className="font-mono font-medium wrap-anywhere after:absolute after:inset-0"
            >
              {tool}
            </button>
            <span className="mt-1 block h-1 min-w-24 rounded-full bg-hover" aria-hidden>
              <span className="block h-full rounded-full bg-k-tool" style={{ width: `${(calls / most) * 100}%` }} />
            </span>
          </td>
          <NumberCell>{formatCount(calls)}</NumberCell>
          <NumberCell>{formatDuration(pace?.p50_ms)}</NumberCell>
          <NumberCell>{formatDuration(pace?.p95_ms)}</NumberCell>
          <NumberCell tone={(pace?.failed ?? 0) > 0 ? 'bad' : 'faint'}>
            {(pace?.failed ?? 0) > 0 ? (
              <button
                type="button"
                aria-label={`Show ${formatCount(pace?.failed)} failed calls of ${tool}`}
                onClick={() => onFailed(tool)}
                className="relative z-10 min-h-6 min-w-6 underline decoration-dotted"
              >
                {formatCount(pace?.failed)}
              </button>
            ) : (
              formatCount(pace?.failed)
            )}
          </NumberCell>
          <NumberCell tone="faint">{formatCount(pace?.rejected)}</NumberCell>
          <NumberCell tone={successRate !== null && successRate < 0.9 ? 'bad' : 'soft'}>
            {formatShare(successRate)}
          </NumberCell>
        </DataRow>
      ))}
    </DataTable>
  )
}

/** Returns the lines of tools by a column, highest first. Tools without a pace come last, equals by their calls. */
export function toolLines(
  totals: readonly Omit<ToolLine, 'pace'>[],
  paces: readonly Pace[],
  sort: ToolSort | undefined,
): ToolLine[] {
  return totals
    .map((total) => ({ ...total, pace: paces.find(({ tool }) => tool === total.tool) }))
    .toSorted((one, other) => sortValue(other, sort) - sortValue(one, sort) || other.calls - one.calls)
}

function sortValue({ calls, pace }: ToolLine, sort: ToolSort | undefined): number {
  switch (sort) {
    case 'p50':
      return pace?.p50_ms ?? -1
    case 'p95':
      return pace?.p95_ms ?? -1
    case 'failed':
      return pace?.failed ?? -1
    case 'refused':
      return pace?.rejected ?? -1
    case undefined:
      return calls
  }
}

/** Returns tools as a table for export. Columns are named like the API's fields. */
export function exportedTools(tools: readonly ToolLine[]): ExportedTable {
  return {
    columns: ['tool', 'calls', 'p50_ms', 'p95_ms', 'failed', 'rejected', 'success_rate'],
    rows: tools.map(({ tool, calls, success_rate: successRate, pace }) => [
      tool,
      calls,
      pace?.p50_ms ?? null,
      pace?.p95_ms ?? null,
      pace?.failed ?? null,
      pace?.rejected ?? null,
      successRate,
    ]),
  }
}
