import type { Session } from '../../../../shared/contract/sessions.ts'
import { resumeOf } from '../../../../shared/vendors.ts'

/**
 * Returns the command that resumes a session in its folder; null if its client cannot. It works without `aspy` on the PATH,
 * and goes through the proxy so that the session is recorded, unless `variables`, which connect a client to it, are null.
 */
export function resumeCommand(
  { id, project }: Pick<Session, 'id' | 'project'>,
  variables: Readonly<Record<string, string>> | null,
): string | null {
  const resume = resumeOf(id, variables)
  if (resume === null) return null
  const folder = project === null || project === '' ? '' : `cd ${quoted(project)} && `
  const connected = Object.entries(resume.variables).map(([name, value]) => `${name}=${quoted(value)} `)
  return `${folder}${connected.join('')}${resume.command.map(quoted).join(' ')}`
}

/** Quotes a recorded text for a POSIX shell. */
const quoted = (text: string): string =>
  /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
