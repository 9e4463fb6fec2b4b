import { z } from 'zod'
import { httpAddress } from './config-values.ts'

const teamPolicy = z.enum(['off', 'metadata', 'full'])

const teamProject = z.strictObject({
  /** Working directory, with * for any part of a name and ** for subfolders. */
  project: z.string().min(1),
  policy: teamPolicy.optional(),
  /** The project's name in the team. */
  name: z.string().min(1).max(200).optional(),
  /** True if other members may read its sessions. */
  shared: z.boolean().optional(),
})

/** Settings of the replication to a team's server. */
export const teamSection = {
  team: z
    .strictObject({
      url: httpAddress.describe("Address of the team's server, set by aspy team join. Empty: nothing is sent."),
      policy: teamPolicy
        .default('metadata')
        .describe(
          'What is sent of projects without their own rule. off: nothing. metadata: no texts, no paths. full: also texts.',
        ),
      projects: z
        .array(teamProject)
        .default([])
        .describe(
          "Rules for projects, of which the first match counts: what is sent, the project's name in the team, and whether other members may read its sessions.",
        ),
      exclude: z.array(z.string().min(1).max(200)).default([]).describe('IDs of sessions that are never sent.'),
    })
    .prefault({}),
}
