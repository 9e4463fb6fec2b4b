import type { ReactNode } from 'react'
import { teamPolicyTable } from '../../../shared/columns/team-policy.ts'
import { Table } from '../../components/table.tsx'
import { plural } from '../../lib/format.ts'
import { useOperation } from '../../lib/operation.ts'

/** Lists what the team gets of each project, and who can read it; nothing if this machine joined no team. */
export function TeamPolicy(): ReactNode {
  const joined = useOperation('team.get', {})
  const isMember = joined.data?.team != null && !joined.data.is_server
  const { data } = useOperation('team.policy', {}, { enabled: isMember, refetchMs: 5000 })
  if (!isMember || data === undefined) return null
  return (
    <section aria-label="Who can read what" className="px-5 pb-4">
      <h3 className="pb-2 text-small font-semibold">Who can read what</h3>
      <Table columns={teamPolicyTable} rows={data.items} keyOf={(row) => row.project ?? ''} />
      <p className="pt-2 text-small text-soft">
        Of two rules for a project, the first counts. Secrets are removed before anything is sent, and bodies of
        requests never are.{data.excluded > 0 && ` ${plural(data.excluded, 'session')} left out.`} To change a project:{' '}
        <code>aspy team share PROJECT</code> or <code>aspy team unshare PROJECT</code>, which ends others’ access at
        once.
      </p>
      {data.problem !== null && (
        <p className="text-small text-bad">It is not known what others can read now: {data.problem}</p>
      )}
    </section>
  )
}
