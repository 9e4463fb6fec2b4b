import type { Session } from '../../../shared/contract/sessions.ts'

/** What resumes a session in a terminal: in its folder, and through Aspy, so that it is captured. */
export function resumeCommand({ id, project }: Pick<Session, 'id' | 'project'>): string {
  const folder = project === null || project === '' ? '' : `cd ${quoted(project)} && `
  return `${folder}npx aspy run -- claude --resume ${quoted(id)}`
}

/** For a POSIX shell: what stands in a recorded path is no command. */
const quoted = (text: string): string =>
  /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
