import { z } from 'zod'

export const filesSection = {
  files: z
    .strictObject({
      watch_changes: z
        .boolean()
        .default(false)
        .describe(
          'Look at the work tree before and after each shell command, and record the files that it changed. Run aspy setup again after a change.',
        ),
    })
    .prefault({}),
}
