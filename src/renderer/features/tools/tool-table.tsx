import type { ReactNode } from 'react'
import { type ToolLine, toolsTable } from '../../../shared/columns/tools.ts'
import { Table } from '../../components/table.tsx'
import { TOOL_SORTS, type ToolSort } from './tools-search.ts'

interface ToolTableProps {
  readonly tools: readonly ToolLine[]
  readonly sort: ToolSort | undefined
  readonly selected: string | undefined
  readonly onSort: (sort: ToolSort | undefined) => void
  readonly onSelect: (tool: string) => void
  /** Shows the failed calls of a tool. */
  readonly onFailed: (tool: string) => void
}

/** Most durations without hooks are the times from a call to its result. */
const atMost = ({ pace }: ToolLine, text: ReactNode) =>
  pace !== undefined && text !== '–' && 2 * pace.upper_bounds > pace.timed ? <>≤ {text}</> : text

/** Calls, durations and failures of each tool. */
export function ToolTable({ tools, sort, selected, onSort, onSelect, onFailed }: ToolTableProps) {
  const most = Math.max(1, ...tools.map((tool) => tool.calls))
  return (
    <Table
      columns={toolsTable}
      rows={tools}
      keyOf={({ tool }) => tool}
      minWidth="min-[700px]:min-w-[32rem]"
      sorting={{ by: sort ?? 'calls', onSort: (by) => onSort(TOOL_SORTS.find((known) => known === by)) }}
      isLink
      isSelected={({ tool }) => tool === selected}
      cells={{
        tool: ({ tool, calls }) => (
          <>
            <button
              type="button"
              onClick={() => onSelect(tool)}
              aria-pressed={tool === selected}
              title="Show only calls of this tool"
              className="text-left font-mono font-medium wrap-anywhere after:absolute after:inset-0"
            >
              {tool}
            </button>
            <span className="mt-1 block h-1 min-w-12 rounded-full bg-hover" aria-hidden>
              <span className="block h-full rounded-full bg-k-tool" style={{ width: `${(calls / most) * 100}%` }} />
            </span>
          </>
        ),
        p50_ms: atMost,
        p95_ms: atMost,
        failed: ({ tool, pace }, text) =>
          (pace?.failed ?? 0) > 0 && (
            <button
              type="button"
              aria-label={`Show ${text} failed calls of ${tool}`}
              onClick={() => onFailed(tool)}
              className="relative z-10 -m-1 min-h-6 min-w-6 p-1 text-right underline decoration-dotted"
            >
              {text}
            </button>
          ),
      }}
    />
  )
}

/**
 * Returns the lines of tools by a column, highest first. Tools without a pace come last; equal ones are sorted by
 * calls.
 */
export function toolLines(
  totals: readonly Omit<ToolLine, 'pace'>[],
  paces: readonly NonNullable<ToolLine['pace']>[],
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
