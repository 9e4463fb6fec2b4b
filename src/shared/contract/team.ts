import { z } from 'zod'
import { operation } from './operation.ts'

export const teamGet = operation({
  name: 'team.get',
  summary: 'The team that this machine joined, or that this server serves; null if there is none.',
  place: 'main',
  output: z.object({
    team: z
      .object({
        /** Address of the team's server. */
        url: z.string(),
        member: z.string(),
        role: z.enum(['member', 'reader', 'admin']),
      })
      .nullable(),
    /** True if the answer comes from a team's server, which has only the team's history. */
    is_server: z.boolean(),
  }),
})

export const teamRead = operation({
  name: 'team.read',
  summary: "Run a reading operation over the team's history instead of this machine's.",
  place: 'main',
  input: z.object({
    operation: z.string().min(1).max(100),
    /** Input of that operation. */
    input: z.record(z.string(), z.unknown()).default({}),
  }),
  /** The answer of that operation. */
  output: z.unknown(),
})

/** Returns the call that runs a reading operation over the team's history. Its answer is that of the operation. */
export const overTeam = (operation: string, input: unknown) => ({ name: teamRead.name, input: { operation, input } })

export const teamUnsent = operation({
  name: 'team.unsent',
  summary: 'Number of sessions that the policy does not (or no longer) send, which the team may still have.',
  place: 'main',
  output: z.object({ sessions: z.number() }),
})

/** Who can read the sessions of a project, apart from their owner. */
export const TEAM_READERS = ['nobody', 'admins', 'members'] as const

export const teamPolicy = operation({
  name: 'team.policy',
  summary: 'What is sent to the team of each project, and who can read it.',
  place: 'main',
  output: z.object({
    items: z.array(
      z.object({
        project: z.string().nullable(),
        policy: z.enum(['off', 'metadata', 'full']),
        /** Name in the team. */
        name: z.string(),
        readers: z.enum(TEAM_READERS),
        sessions: z.number(),
        /** Sessions that other members still read though they are not shared; null: the server cannot be asked. */
        still_read: z.number().nullable(),
      }),
    ),
    /** Sessions that are left out. */
    excluded: z.number(),
    /** Why the team's server cannot be asked. */
    problem: z.string().nullable(),
  }),
})
export type TeamPolicyRow = z.infer<typeof teamPolicy.output>['items'][number]

export const teamWithdraw = operation({
  name: 'team.withdraw',
  summary: 'Delete data from the team that this device sent and the policy no longer sends.',
  place: 'main',
  writes: true,
  output: z.object({ sessions: z.number(), events: z.number() }),
})

export const teamProjects = operation({
  name: 'team.projects',
  summary: 'Every session with its working directory, which decides about the policy of a team.',
  output: z.object({ items: z.array(z.object({ id: z.string(), project: z.string().nullable() })) }),
})

/** Names of operations that are about this machine, regardless of the history that a window shows. */
const OF_THIS_MACHINE =
  /^(?:health|config|claude_code|guard|transcripts|live|runs|store|searches|team|tunnel|hooks)\.|^(?:budgets\.status|files\.restore|limits\.latest|sessions\.deletions|sessions\.undo_(?:delete|shown))$/

/** True if an operation is about this machine or its settings, so that a team's history has no part in it. */
export const isOfThisMachine = (name: string): boolean => OF_THIS_MACHINE.test(name)
