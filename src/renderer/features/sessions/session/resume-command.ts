import type { Session } from '../../../../shared/contract/sessions.ts'
import { recordedResumeOf } from '../../../../shared/vendors.ts'

/** Returns the command that resumes a session in its folder, recorded by what `aspy` runs; null if its client cannot. */
export function resumeCommand({ id, project }: Pick<Session, 'id' | 'project'>, aspy: string): string | null {
  const resume = recordedResumeOf(id)
  if (resume === null) return null
  const folder = project === null || project === '' ? '' : `cd ${quoted(project)} && `
  return `${folder}${aspy} ${resume.map(quoted).join(' ')}`
}

/** Quotes a recorded text for a POSIX shell. */
const quoted = (text: string): string =>
  /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
