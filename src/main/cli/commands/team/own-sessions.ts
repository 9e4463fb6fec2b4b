import { sessionsWithProject } from '../../../store/read/changes.ts'
import type { OwnSession } from '../../../team/device/unsent-sessions.ts'
import type { RunSettings } from '../../settings-of-run.ts'
import { hasRecorded, openDeviceFile } from './device-file.ts'

/** Returns every session of this machine with its working directory; none before the first one is recorded. */
export function ownSessions(settings: RunSettings): readonly OwnSession[] {
  if (!hasRecorded(settings)) return []
  using file = openDeviceFile(settings)
  return sessionsWithProject(file.reader())
}
