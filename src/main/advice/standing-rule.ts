import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { errorMessage } from '../../shared/error-text.ts'
import type { SettingsFix } from './candidate.ts'
import { textOf } from './settings-change.ts'

/** Files of a project with rules that each of its sessions carries. */
const FILES = ['CLAUDE.md', '.claude/CLAUDE.md', 'CLAUDE.local.md', 'AGENTS.md']
/** Characters of a rule that are shown. */
const SHOWN = 160

/**
 * Returns the fix if no rule of the project or the person names its subject yet. A rule that stands already is not kept:
 * another one of the same kind would not be either.
 */
export function unlessRuled(project: string | undefined, fix: SettingsFix, homes: readonly string[]): SettingsFix {
  const { rule } = fix
  if (rule === undefined) return fix
  const inProject = project !== undefined && isAbsolute(project) ? FILES.map((file) => join(project, file)) : []
  const found = [...inProject, ...homes.map((home) => join(home, 'CLAUDE.md'))].flatMap((file) =>
    linesThatName(file, rule),
  )
  const [first] = found
  if (first === undefined) return fix
  return {
    title: `A rule about ${rule} stands already and is ignored: enforce it with a hook, or remove it`,
    steps: [
      `${first.file}:${first.line} says: ${first.text}`,
      'If it says what to do instead, write a PreToolUse hook that refuses the call with this text (exit code 2).',
      'If it does not, correct that line. Each request carries it, whether it is kept or not.',
    ],
  }
}

interface Line {
  readonly file: string
  readonly line: number
  readonly text: string
}

function linesThatName(file: string, subject: string): readonly Line[] {
  if (!existsSync(file)) return []
  const isNamed = new RegExp(String.raw`(?<![\w-])${escaped(subject)}(?![\w-])`, 'i')
  return readable(file)
    .split('\n')
    .flatMap((text, at) => (isNamed.test(text) ? [{ file, line: at + 1, text: text.trim().slice(0, SHOWN) }] : []))
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** Returns the text of a file of rules; one that cannot be read is said where it matters, and has no rules here. */
function readable(file: string): string {
  try {
    return textOf(file)
  } catch (error) {
    return `(${errorMessage(error)})`
  }
}
