import { TRANSCRIPT_CLIENTS } from '../decode/client/transcript-clients.ts'
import type { RunningNote } from '../decode/client/transcript-client.ts'
import { existing } from './client-folders.ts'
import { nodeDisk } from './node-disk.ts'
import { isProcessAlive } from '../base/is-process-alive.ts'

/** Returns the sessions whose clients run on this machine. Notes of processes that have ended are left out. */
export function runningSessions(
  env: { readonly [name: string]: string | undefined },
  userHome: string,
): readonly RunningNote[] {
  return TRANSCRIPT_CLIENTS.flatMap(({ homes, runningIn }) =>
    runningIn === undefined ? [] : existing(homes(env, userHome)).flatMap((home) => runningIn(home, nodeDisk)),
  ).filter(({ pid }) => isProcessAlive(pid))
}
