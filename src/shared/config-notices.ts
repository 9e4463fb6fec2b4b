import { z } from 'zod'

/** The section `[notices]`: what the model and the person are notified of. */
export const noticesSection = {
  notices: z
    .strictObject({
      after_compaction: z
        .boolean()
        .default(true)
        .describe('After a compaction, tell the model in one line what is recorded and how to recall it.'),
      budget_reached: z
        .boolean()
        .default(true)
        .describe(
          'Desktop: notify when 80% and 100% of a budget are spent, when limits reach 75%, 90% and 95%, and when answers are served differently than requested.',
        ),
      capture_stopped: z
        .boolean()
        .default(true)
        .describe('Desktop: notify when recording stops, and when the recorder had to be restarted.'),
      client_waits: z
        .boolean()
        .default(true)
        .describe(
          'Notify when a client asks for a permission or an answer (needs its hooks): in the window, and on the desktop while the window is not focused.',
        ),
      long_turn_minutes: z
        .number()
        .min(0)
        .max(1440)
        .default(3)
        .describe(
          'Desktop: notify when a turn of at least this many minutes ends while the window is not focused. 0: never.',
        ),
    })
    .prefault({}),
}
