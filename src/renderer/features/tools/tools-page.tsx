import { getRouteApi } from '@tanstack/react-router'
import { Wrench } from 'lucide-react'
import type { ReactNode } from 'react'
import { valueTable } from '../../../shared/columns/column.ts'
import { toolsTable } from '../../../shared/columns/tools.ts'
import { ExportMenu } from '../../components/export-menu.tsx'
import { loaded } from '../../components/loaded.tsx'
import { Card, Page, PageBody } from '../../components/page.tsx'
import { ProjectSelect } from '../../components/project-select.tsx'
import { RangePicker } from '../../components/range-picker.tsx'
import { Sentences } from '../../components/sentences.tsx'
import { Empty } from '../../components/states.tsx'
import { sinceStartOf, spanBefore, useOperation } from '../../lib/operation.ts'
import { RANGE_WORDS } from '../../lib/time-range.ts'
import { RecentCalls } from './recent-calls.tsx'
import { SlowestCalls } from './slowest-calls.tsx'
import { toolLines, ToolTable } from './tool-table.tsx'
import { toolSentences } from './tools-line.ts'
import { TOOLS_PRESET, type ToolsSearch } from './tools-search.ts'

const route = getRouteApi('/tools')

/** Calls, durations and failures by tool, with the slowest and the latest calls. */
export function ToolsPage(): ReactNode {
  const search = route.useSearch()
  const range = search.range ?? TOOLS_PRESET
  const navigate = route.useNavigate()
  const go = (change: ToolsSearch) => void navigate({ search: (now) => ({ ...now, ...change }) })
  const within = { moving: sinceStartOf(range) }
  const often = { refetchMs: 30_000, keepsPrevious: true }
  const query = useOperation('stats.summary', { project: search.project }, { ...within, ...often })
  const { data } = query
  const { data: paces } = useOperation('tools.pace', { project: search.project }, within)
  const { data: before } = useOperation(
    'stats.summary',
    { project: search.project },
    { enabled: range !== 'all', moving: spanBefore(range) },
  )
  const tools = toolLines(data?.by_tool ?? [], paces?.items ?? [], search.sort)
  const empty = tools.length === 0 && (
    <Empty icon={Wrench} title={`No tool calls in ${RANGE_WORDS[range]}`}>
      <p>
        Tool calls appear as soon as Claude Code runs through Aspy.
        {range !== 'all' && ' To see older calls, choose a longer range.'}
      </p>
    </Empty>
  )
  return (
    <Page
      title="Tools"
      actions={
        <>
          <ProjectSelect value={search.project} onChange={(project) => go({ project })} />
          <ExportMenu name="tools" table={() => valueTable(toolsTable, tools)} />
          <RangePicker value={range} onChange={(next) => go({ range: next })} />
        </>
      }
    >
      {loaded({ query, rows: 10, empty }, () => (
        <PageBody>
          <Sentences sentences={toolSentences(data?.by_tool ?? [], before?.by_tool)} />
          <div className="grid grid-cols-1 items-start gap-6 min-[1500px]:grid-cols-[minmax(30rem,5fr)_minmax(0,7fr)]">
            <Card title="By tool" note={RANGE_WORDS[range]}>
              <ToolTable
                tools={tools}
                sort={search.sort}
                selected={search.tool}
                onSort={(sort) => go({ sort })}
                onSelect={(tool) => go({ tool: search.tool === tool ? undefined : tool })}
                onFailed={(tool) => go({ tool, failed: true })}
              />
            </Card>
            <div className="flex min-w-0 flex-col gap-6">
              <SlowestCalls search={search} onChange={go} />
              {/* The list is below the fold: it comes into view when failed calls are asked for, also of another tool. */}
              <div key={search.tool} ref={search.failed === true ? intoView : null}>
                <RecentCalls search={search} onChange={go} />
              </div>
            </div>
          </div>
        </PageBody>
      ))}
    </Page>
  )
}

const intoView = (list: HTMLElement | null) => list?.scrollIntoView()
