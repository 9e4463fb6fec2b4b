import { counted } from './counted.ts'

/** Says whether the transcripts that clients delete within a week are imported; null if they delete none. */
export function deletedSoon(found: {
  readonly deleted_soon: number
  readonly deleted_soon_new: number
}): string | null {
  const { deleted_soon: all, deleted_soon_new: missing } = found
  if (all === 0) return null
  const what = `Within a week, clients delete the transcripts of ${counted(all, 'session')}`
  if (missing === 0) return `${what}: all in Aspy.`
  return `${what}: ${missing === 1 ? '1 is' : `${missing} are`} not imported yet.`
}
