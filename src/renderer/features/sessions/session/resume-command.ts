import type { Session } from '../../../../shared/contract/sessions.ts'

/**
 * Returns the command that resumes a session in its folder. It works without `aspy` on the PATH, and goes through the
 * proxy so that the session is recorded, unless `variables`, which connect a client to it, are null.
 */
export function resumeCommand(
  { id, project }: Pick<Session, 'id' | 'project'>,
  variables: Readonly<Record<string, string>> | null,
): string {
  const folder = project === null || project === '' ? '' : `cd ${quoted(project)} && `
  const connected = Object.entries(variables ?? {}).map(([name, value]) => `${name}=${quoted(value)} `)
  return `${folder}${connected.join('')}claude --resume ${quoted(id)}`
}

/** Quotes a recorded text for a POSIX shell. */
const quoted = (text: string): string =>
  /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
