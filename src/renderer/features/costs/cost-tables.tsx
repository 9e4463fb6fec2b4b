import { Link } from '@tanstack/react-router'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { formatCost, formatCount, formatMoment, formatShare, projectName } from '../../lib/format.ts'

type Breakdown = OperationOutput<'costs.breakdown'>

const CELL = 'py-2 pl-4 text-right'

/** What each project cost, the dearest first. */
export function ProjectTable({ projects }: { projects: Breakdown['by_project'] }) {
  const total = projects.reduce((sum, project) => sum + project.cost_usd, 0)
  return (
    <div className="px-5 pb-3">
      <table className="w-full text-small">
        <thead>
          <tr className="label border-b text-left">
            <th className="py-2 font-medium">Project</th>
            <th className={`${CELL} font-medium`}>Calls</th>
            <th className={`${CELL} font-medium`}>Tokens</th>
            <th className={`${CELL} font-medium`}>Cost</th>
            <th className={`${CELL} font-medium`}>Share</th>
          </tr>
        </thead>
        <tbody>
          {projects.map((project) => (
            <tr key={project.project} className="relative border-b last:border-0 hover:bg-hover">
              <td className="max-w-0 truncate py-2" title={project.project}>
                <Link
                  to="/sessions"
                  search={{ project: project.project === '' ? undefined : project.project, sort: 'cost' }}
                  className="font-medium after:absolute after:inset-0"
                >
                  {projectName(project.project)}
                </Link>
              </td>
              <td className={`${CELL} text-soft`}>{formatCount(project.calls)}</td>
              <td className={`${CELL} text-soft`}>{formatCount(project.tokens)}</td>
              <td className={`${CELL} font-semibold`}>
                {formatCost(project.cost_usd)}
                {project.unpriced_calls > 0 && (
                  <span className="text-warn" title={`${project.unpriced_calls} calls have no price`}>
                    {' '}
                    +?
                  </span>
                )}
              </td>
              <td className={`${CELL} text-soft`}>{formatShare(total === 0 ? null : project.cost_usd / total)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The dearest sessions; each leads to its numbers, which say why. */
export function SessionTable({ sessions }: { sessions: Breakdown['by_session'] }) {
  return (
    <div className="px-5 pb-3">
      <table className="w-full text-small">
        <thead>
          <tr className="label border-b text-left">
            <th className="py-2 font-medium">Session</th>
            <th className={`${CELL} font-medium`}>Began</th>
            <th className={`${CELL} font-medium`}>Calls</th>
            <th className={`${CELL} font-medium`}>Tokens</th>
            <th className={`${CELL} font-medium`}>Cost</th>
          </tr>
        </thead>
        <tbody>
          {sessions.map((session) => (
            <tr key={session.session_id} className="relative border-b last:border-0 hover:bg-hover">
              <td className="w-1/2 max-w-0 truncate py-2">
                <Link
                  to="/sessions/$sessionId"
                  params={{ sessionId: session.session_id }}
                  search={{ tab: 'numbers' }}
                  className="font-medium after:absolute after:inset-0"
                >
                  {session.title ?? 'Untitled session'}
                </Link>
                <span className="ml-2 text-faint">{projectName(session.project)}</span>
              </td>
              <td className={`${CELL} whitespace-nowrap text-soft`}>{formatMoment(session.started_at)}</td>
              <td className={`${CELL} text-soft`}>{formatCount(session.calls)}</td>
              <td className={`${CELL} text-soft`}>{formatCount(session.tokens)}</td>
              <td className={`${CELL} font-semibold`}>{formatCost(session.cost_usd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
