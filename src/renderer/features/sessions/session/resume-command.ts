import type { Session } from '../../../../shared/contract/sessions.ts'

/**
 * Returns the command that resumes a session in its folder. It works without `aspy` on the PATH, and goes through the
 * proxy so that the session is recorded, unless `proxyUrl` is null.
 */
export function resumeCommand({ id, project }: Pick<Session, 'id' | 'project'>, proxyUrl: string | null): string {
  const folder = project === null || project === '' ? '' : `cd ${quoted(project)} && `
  const proxy = proxyUrl === null ? '' : `ANTHROPIC_BASE_URL=${quoted(proxyUrl)} `
  return `${folder}${proxy}claude --resume ${quoted(id)}`
}

/** Quotes a recorded text for a POSIX shell. */
const quoted = (text: string): string =>
  /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
