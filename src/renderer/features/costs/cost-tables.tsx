import { Link } from '@tanstack/react-router'
import {
  clientCostsTable,
  memberCostsTable,
  projectCostsTable,
  sessionCostsTable,
} from '../../../shared/columns/costs.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { Table } from '../../components/table.tsx'
import { projectName } from '../../lib/format.ts'
import { toSession } from '../../lib/places.ts'

type Breakdown = OperationOutput<'costs.breakdown'>

/** Cost by project, most expensive first. Each row leads to the project's sessions. */
export function ProjectTable({ projects }: { projects: Breakdown['by_project'] }) {
  const total = projects.reduce((sum, project) => sum + project.cost_usd, 0)
  return (
    <Table
      columns={projectCostsTable}
      rows={projects.map((row) => ({ ...row, share: total === 0 ? null : row.cost_usd / total }))}
      keyOf={(row) => row.project}
      isLink
      cells={{
        project: (row, text) => (
          <Link
            to="/sessions"
            search={{ project: row.project === '' ? undefined : row.project, sort: 'cost' }}
            className={COVER}
          >
            {text}
          </Link>
        ),
      }}
    />
  )
}

const COVER = 'font-medium after:absolute after:inset-0'

/** Cost by member of a team, most expensive first. */
export const MemberTable = ({ members }: { members: NonNullable<Breakdown['by_user']> }) => (
  <Table columns={memberCostsTable} rows={members} keyOf={(row) => row.user} />
)

/** Cost by client, most expensive first. Each row leads to the client's sessions. */
export function ClientTable({ clients }: { clients: Breakdown['by_client'] }) {
  return (
    <Table
      columns={clientCostsTable}
      rows={clients}
      keyOf={(row) => row.client}
      isLink
      cells={{
        client: (row, text) => (
          <Link to="/sessions" search={{ client: row.client, sort: 'cost' }} className={COVER}>
            {text}
          </Link>
        ),
      }}
    />
  )
}

/** The most expensive sessions. Each row leads to the session's usage. */
export function SessionTable({ sessions }: { sessions: Breakdown['by_session'] }) {
  return (
    <Table
      columns={sessionCostsTable}
      rows={sessions}
      keyOf={(row) => row.session_id}
      minWidth="min-w-[36rem]"
      isLink
      cells={{
        title: (row, text) => (
          <>
            <Link {...toSession(row.session_id, { tab: 'numbers' })} className={COVER}>
              {text}
            </Link>
            <span className="ml-2 text-faint">{projectName(row.project)}</span>
          </>
        ),
      }}
    />
  )
}
