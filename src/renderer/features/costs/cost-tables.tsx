import { clientLabel } from '../../../shared/vendors.ts'
import { visibleText } from '../../../shared/visible-text.ts'
import { Link } from '@tanstack/react-router'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { type DataColumn, DataRow, DataTable, NumberCell } from '../../components/data-table.tsx'
import { columnDollars } from '../../lib/axis.ts'
import { formatCount, formatMoment, formatShare, plural, projectName } from '../../lib/format.ts'

type Breakdown = OperationOutput<'costs.breakdown'>

const PROJECT_COLUMNS: readonly DataColumn[] = [
  { name: 'Project' },
  { name: 'Calls', isNumber: true },
  { name: 'Tokens', isNumber: true },
  { name: 'Cost', isNumber: true },
  { name: 'Share', isNumber: true },
]

/** Cost by project, most expensive first. Each row leads to the project's sessions. */
export function ProjectTable({ projects }: { projects: Breakdown['by_project'] }) {
  const cost = columnDollars(projects.map(({ cost_usd: usd }) => usd))
  const total = projects.reduce((sum, project) => sum + project.cost_usd, 0)
  return (
    <DataTable columns={PROJECT_COLUMNS}>
      {projects.map((project) => (
        <DataRow key={project.project} isLink>
          <td className="max-w-0 truncate py-2" title={project.project}>
            <Link
              to="/sessions"
              search={{ project: project.project === '' ? undefined : project.project, sort: 'cost' }}
              className="font-medium after:absolute after:inset-0"
            >
              {projectName(project.project)}
            </Link>
          </td>
          <NumberCell>{formatCount(project.calls)}</NumberCell>
          <NumberCell>{formatCount(project.tokens)}</NumberCell>
          <NumberCell tone="strong">
            {cost(project.cost_usd)}
            {project.unpriced_calls > 0 && (
              <span className="text-warn" title={`${plural(project.unpriced_calls, 'call')} without a price`}>
                {' '}
                +?
              </span>
            )}
          </NumberCell>
          <NumberCell>{formatShare(total === 0 ? null : project.cost_usd / total)}</NumberCell>
        </DataRow>
      ))}
    </DataTable>
  )
}

const MEMBER_COLUMNS: readonly DataColumn[] = [
  { name: 'Member' },
  { name: 'Calls', isNumber: true },
  { name: 'Tokens', isNumber: true },
  { name: 'Cost', isNumber: true },
]

/** Cost by member of a team, most expensive first. */
export function MemberTable({ members }: { members: NonNullable<Breakdown['by_user']> }) {
  const cost = columnDollars(members.map(({ cost_usd: usd }) => usd))
  return (
    <DataTable columns={MEMBER_COLUMNS}>
      {members.map((member) => (
        <DataRow key={member.user}>
          <td className="max-w-0 truncate py-2 font-medium">{visibleText(member.user)}</td>
          <NumberCell>{formatCount(member.calls)}</NumberCell>
          <NumberCell>{formatCount(member.tokens)}</NumberCell>
          <NumberCell tone="strong">{cost(member.cost_usd)}</NumberCell>
        </DataRow>
      ))}
    </DataTable>
  )
}

const CLIENT_COLUMNS: readonly DataColumn[] = [
  { name: 'Client' },
  { name: 'Sessions', isNumber: true },
  { name: 'Tokens', isNumber: true },
  { name: 'Cost', isNumber: true },
]

/** Cost by client, most expensive first. Each row leads to the client's sessions. */
export function ClientTable({ clients }: { clients: Breakdown['by_client'] }) {
  const cost = columnDollars(clients.map(({ cost_usd: usd }) => usd))
  return (
    <DataTable columns={CLIENT_COLUMNS}>
      {clients.map((client) => (
        <DataRow key={client.client} isLink>
          <td className="max-w-0 truncate py-2">
            <Link
              to="/sessions"
              search={{ client: client.client, sort: 'cost' }}
              className="font-medium after:absolute after:inset-0"
            >
              {visibleText(clientLabel(client.client))}
            </Link>
          </td>
          <NumberCell>{formatCount(client.sessions)}</NumberCell>
          <NumberCell>{formatCount(client.tokens)}</NumberCell>
          <NumberCell tone="strong">
            {client.cost_usd === 0 && client.unpriced_calls > 0 ? '–' : cost(client.cost_usd)}
          </NumberCell>
        </DataRow>
      ))}
    </DataTable>
  )
}

const SESSION_COLUMNS: readonly DataColumn[] = [
  { name: 'Session' },
  { name: 'Started', isNumber: true },
  { name: 'Calls', isNumber: true },
  { name: 'Tokens', isNumber: true },
  { name: 'Cost', isNumber: true },
]

/** The most expensive sessions. Each row leads to the session's usage. */
export function SessionTable({ sessions }: { sessions: Breakdown['by_session'] }) {
  const cost = columnDollars(sessions.map(({ cost_usd: usd }) => usd))
  return (
    <DataTable columns={SESSION_COLUMNS} minWidth="min-w-[36rem]">
      {sessions.map((session) => (
        <DataRow key={session.session_id} isLink>
          <td className="w-1/2 max-w-0 truncate py-2">
            <Link
              to="/sessions/$sessionId"
              params={{ sessionId: session.session_id }}
              search={{ tab: 'numbers' }}
              className="font-medium after:absolute after:inset-0"
            >
              {visibleText(session.title ?? 'Untitled session')}
            </Link>
            <span className="ml-2 text-faint">{projectName(session.project)}</span>
          </td>
          <NumberCell>{formatMoment(session.started_at)}</NumberCell>
          <NumberCell>{formatCount(session.calls)}</NumberCell>
          <NumberCell>{formatCount(session.tokens)}</NumberCell>
          <NumberCell tone="strong">{cost(session.cost_usd)}</NumberCell>
        </DataRow>
      ))}
    </DataTable>
  )
}
