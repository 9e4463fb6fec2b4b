import { z } from 'zod'
import { operation } from './operation.ts'

export const hookPost = operation({
  name: 'hooks.post',
  summary: 'Takes any hook event of Claude Code, answers at once.',
  place: 'main',
  writes: true,
  http: { method: 'POST', path: '/api/hooks' },
  input: z.looseObject({ session_id: z.string().min(1).max(200), hook_event_name: z.string().min(1).max(100) }),
  output: z.object({}),
})

export const importPaths = operation({
  name: 'transcripts.import',
  summary: 'Import transcript files or folders; nothing is read that is not named.',
  place: 'main',
  answer: 'stream',
  writes: true,
  input: z.object({ paths: z.array(z.string().min(1).max(4096)).min(1).max(1000) }),
  output: z.object({
    files: z.number(),
    files_done: z.number(),
    bytes: z.number(),
    bytes_done: z.number(),
    lines: z.number(),
    events_added: z.number(),
    sightings_added: z.number(),
    lines_bad: z.number(),
    done: z.boolean(),
  }),
})
