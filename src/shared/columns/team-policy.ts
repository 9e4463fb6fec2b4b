import type { TeamPolicyRow } from '../contract/team.ts'
import { tableOf } from './column.ts'

const SENT = { off: 'nothing', metadata: 'metadata, no texts', full: 'texts, too' } as const
const READERS = { nobody: 'only you', admins: 'you, readers and admins', members: 'every member' } as const

/** What is sent to a team of each project, and who can read it. */
export const teamPolicyTable = tableOf<TeamPolicyRow>()({
  columns: {
    project: { name: 'Project', of: (row) => row.project ?? '(none)' },
    policy: { name: 'Sent', of: (row) => SENT[row.policy] },
    name: { name: 'Name in the team', of: (row) => (row.policy === 'off' ? null : row.name) },
    readers: { name: 'Who can read it', of: (row) => READERS[row.readers] },
    sessions: { name: 'Sessions', format: 'count' },
    still_read: {
      name: 'Still read by others',
      format: 'count',
      tone: (row) => ((row.still_read ?? 0) > 0 ? 'bad' : 'soft'),
    },
  },
})
