import type { ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Wrench } from 'lucide-react'
import { ExportMenu } from '../../components/export-menu.tsx'
import { Card, Page, PageBody } from '../../components/page.tsx'
import { ProjectSelect } from '../../components/project-select.tsx'
import { RangePicker } from '../../components/range-picker.tsx'
import { Empty, Failed, LoadingRows } from '../../components/states.tsx'
import { formatCount, formatDuration, formatShare } from '../../lib/format.ts'
import { RANGE_WORDS } from '../../lib/time-range.ts'
import { RecentCalls } from './recent-calls.tsx'
import { TOOLS_PRESET } from './tools-search.ts'
import { paceQuery, toolTotalsQuery } from './queries.ts'
import { SlowestCalls } from './slowest-calls.tsx'

const route = getRouteApi('/tools')
/** What tools can be sorted by, from the top. */
const COLUMNS = [
  { name: 'Calls', sort: undefined, title: 'Most calls first' },
  { name: 'p50', sort: 'p50', title: 'Half of the newest 2,000 calls took at most this; slowest first' },
  { name: 'p95', sort: 'p95', title: '95 of 100 of the newest 2,000 calls took at most this; slowest first' },
  { name: 'Failed', sort: 'failed', title: 'Most failures first' },
  { name: 'Refused', sort: 'refused', title: 'Refused by the person or the settings; most first' },
] as const
const HEAD = 'w-20 px-2 py-2 text-right font-medium'

/** What was run: each tool's calls, pace and failures, and the newest calls. */
export function ToolsPage(): ReactNode {
  const search = route.useSearch()
  const range = search.range ?? TOOLS_PRESET
  const navigate = route.useNavigate()
  const scope = { range, project: search.project }
  const { data: tools, error, refetch } = useQuery(toolTotalsQuery(scope))
  const { data: pace } = useQuery(paceQuery(scope))
  const sorted = (tools ?? []).toSorted((one, other) => valueOf(other) - valueOf(one))
  const most = Math.max(1, ...(tools ?? []).map((tool) => tool.calls))
  function valueOf(tool: { readonly tool: string; readonly calls: number }): number {
    const own = pace?.get(tool.tool)
    switch (search.sort) {
      case 'p50':
        return own?.p50_ms ?? -1
      case 'p95':
        return own?.p95_ms ?? -1
      case 'failed':
        return own?.failed ?? -1
      case 'refused':
        return own?.rejected ?? -1
      case undefined:
        return tool.calls
    }
  }
  const choose = (tool: string) =>
    void navigate({ search: (now) => ({ ...now, tool: now.tool === tool ? undefined : tool }) })
  return (
    <Page
      title="Tools"
      actions={
        <>
          <ProjectSelect
            value={search.project}
            onChange={(project) => void navigate({ search: (now) => ({ ...now, project }) })}
          />
          <ExportMenu
            name="tools"
            table={() => ({
              columns: ['tool', 'calls', 'p50_ms', 'p95_ms', 'failed', 'rejected', 'success_rate'],
              rows: sorted.map((tool) => {
                const own = pace?.get(tool.tool)
                return [
                  tool.tool,
                  tool.calls,
                  own?.p50_ms ?? null,
                  own?.p95_ms ?? null,
                  own?.failed ?? null,
                  own?.rejected ?? null,
                  tool.success_rate,
                ]
              }),
            })}
          />
          <RangePicker
            value={range}
            onChange={(next) => void navigate({ search: (now) => ({ ...now, range: next }) })}
          />
        </>
      }
    >
      {error ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : !tools ? (
        <LoadingRows rows={10} />
      ) : tools.length === 0 ? (
        <Empty icon={Wrench} title={`No tool was called in ${RANGE_WORDS[range]}`}>
          <p>Choose a longer range, or run Claude Code through Aspy.</p>
        </Empty>
      ) : (
        <PageBody>
          <div className="grid grid-cols-1 items-start gap-6 min-[1500px]:grid-cols-[minmax(30rem,5fr)_minmax(0,7fr)]">
            <Card
              title="By tool"
              note={`${RANGE_WORDS[range]}; half of a tool's calls take p50 or less, 95 of 100 take p95 or less`}
            >
              <div className="px-3 pb-3">
                <table className="w-full text-small">
                  <thead>
                    <tr className="label border-b text-left">
                      <th className="px-2 py-2 font-medium">Tool</th>
                      {COLUMNS.map(({ name, sort, title }) => (
                        <th key={name} className={HEAD} aria-sort={search.sort === sort ? 'descending' : 'none'}>
                          <button
                            type="button"
                            title={title}
                            onClick={() => void navigate({ search: (now) => ({ ...now, sort }) })}
                            className={`rounded-small hover:text-ink ${search.sort === sort ? 'font-semibold text-ink' : ''}`}
                          >
                            {name}
                            {search.sort === sort && ' ↓'}
                          </button>
                        </th>
                      ))}
                      <th className={HEAD}>Succeeded</th>
                    </tr>
                  </thead>
                  <tbody>
                    {sorted.map((tool) => (
                      <tr
                        key={tool.tool}
                        className={`relative border-b last:border-0 ${search.tool === tool.tool ? 'bg-accent-soft' : 'hover:bg-hover'}`}
                      >
                        <td className="px-2 py-2">
                          <button
                            type="button"
                            onClick={() => choose(tool.tool)}
                            aria-pressed={search.tool === tool.tool}
                            title="Show only this tool's calls"
                            className="font-mono font-medium wrap-anywhere after:absolute after:inset-0"
                          >
                            {tool.tool}
                          </button>
                          <span className="mt-1 block h-1 rounded-full bg-hover" aria-hidden>
                            <span
                              className="block h-full rounded-full bg-k-tool"
                              style={{ width: `${(tool.calls / most) * 100}%` }}
                            />
                          </span>
                        </td>
                        <td className="px-2 py-2 text-right">{formatCount(tool.calls)}</td>
                        <td className="px-2 py-2 text-right text-soft">
                          {formatDuration(pace?.get(tool.tool)?.p50_ms)}
                        </td>
                        <td className="px-2 py-2 text-right text-soft">
                          {formatDuration(pace?.get(tool.tool)?.p95_ms)}
                        </td>
                        <td
                          className={`px-2 py-2 text-right ${(pace?.get(tool.tool)?.failed ?? 0) > 0 ? 'text-bad' : 'text-faint'}`}
                        >
                          {formatCount(pace?.get(tool.tool)?.failed)}
                        </td>
                        <td className="px-2 py-2 text-right text-faint">
                          {formatCount(pace?.get(tool.tool)?.rejected)}
                        </td>
                        <td
                          className={`px-2 py-2 text-right ${tool.success_rate !== null && tool.success_rate < 0.9 ? 'font-medium text-bad' : 'text-soft'}`}
                        >
                          {formatShare(tool.success_rate)}
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            </Card>
            <div className="flex min-w-0 flex-col gap-6">
              <SlowestCalls scope={scope} />
              <RecentCalls
                scope={scope}
                tool={search.tool}
                failed={search.failed === 'yes'}
                onFailed={(failed) =>
                  void navigate({ search: (now) => ({ ...now, failed: failed ? 'yes' : undefined }) })
                }
                onAll={() => void navigate({ search: (now) => ({ ...now, tool: undefined }) })}
              />
            </div>
          </div>
        </PageBody>
      )}
    </Page>
  )
}
