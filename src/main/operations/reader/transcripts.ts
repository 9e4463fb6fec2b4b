import { homedir } from 'node:os'
import { wasCaptured } from '../../store/read/captured.ts'
import { runningSessions } from '../../transcripts/running-sessions.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'

/** Lists the clients that run on this machine and note their current session. */
export const transcriptsRunning: ReaderHandler<'transcripts.running'> = (reader) => ({
  items: runningSessions(process.env, homedir()).map((note) => ({
    ...note,
    captured: wasCaptured(reader, note.session_id),
  })),
})
