import type { Session } from '../../../../shared/contract/sessions.ts'

/**
 * What resumes a session in a terminal: in its folder, where no `aspy` need be found, and through the proxy, so that it
 * is captured; null: the proxy is off.
 */
export function resumeCommand({ id, project }: Pick<Session, 'id' | 'project'>, proxyUrl: string | null): string {
  const folder = project === null || project === '' ? '' : `cd ${quoted(project)} && `
  const proxy = proxyUrl === null ? '' : `ANTHROPIC_BASE_URL=${quoted(proxyUrl)} `
  return `${folder}${proxy}claude --resume ${quoted(id)}`
}

/** For a POSIX shell: what stands in a recorded path is no command. */
const quoted = (text: string): string =>
  /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
