/** Warnings whose fix is a look at the data folder or its disk. */
const FOLDER_COMMANDS: Readonly<Record<string, (data: string) => string>> = {
  folder_unwritable: (data) => `chmod -R u+rwX ${quoted(data)}`,
  spooling: (data) => `df -h ${quoted(data)}`,
  dropped_spool_full: (data) => `df -h ${quoted(data)}`,
  session_log_failing: (data) => `ls -ld ${quoted(data)} ${quoted(`${data}/logs`)}; df -h ${quoted(data)}`,
  dropped_session_log: (data) => `ls -ld ${quoted(data)} ${quoted(`${data}/logs`)}; df -h ${quoted(data)}`,
}

/** What to do about a warning: words, and a setting to open or a command to run where there is one; always one of them. */
export interface FixSteps {
  readonly words: string | null
  /** A section of the settings. */
  readonly section: string | null
  readonly command: string | null
}

export function fixSteps(code: string, fix: string, data: string): FixSteps {
  if (/^(?:npx |npm |aspy |rm |chmod )/.test(fix)) return { words: null, section: null, command: fix }
  const section = /\[([a-z_]+)\]/.exec(fix)?.[1] ?? null
  const named = /\((aspy [^)]+)\)/.exec(fix)?.[1] ?? null
  const command = named ?? FOLDER_COMMANDS[code]?.(data) ?? (section === null ? 'npx aspy doctor' : null)
  return { words: fix, section, command }
}

const quoted = (path: string): string =>
  /^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`
