import { globSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { errorMessage } from '../../shared/error-text.ts'
import type { SettingsFix } from './candidate.ts'
import { textOf } from './settings-change.ts'

/** Files of a folder with rules that each session in it or below carries, and those in its folder of rules. */
const FILES = ['CLAUDE.md', '.claude/CLAUDE.md', 'CLAUDE.local.md', 'AGENTS.md', '.claude/rules/*.md']
/** Characters of a rule that are shown. */
const SHOWN = 160

/**
 * Returns the fix if no rule of the project or the person names its subject yet. A rule that stands already is not kept:
 * another one of the same kind would not be either.
 */
export function unlessRuled(project: string | undefined, fix: SettingsFix, homes: readonly string[]): SettingsFix {
  const { rule, ruleWords = { words: [], least: 0 } } = fix
  if (rule === undefined) return fix
  const inProject = project !== undefined && isAbsolute(project) ? foldersTo(project) : []
  const [first] = [
    ...inProject.flatMap((folder) => globSync(FILES, { cwd: folder }).map((file) => join(folder, file))),
    ...homes.flatMap((home) => globSync(['CLAUDE.md', 'rules/*.md'], { cwd: home }).map((file) => join(home, file))),
  ].flatMap((file) => linesThatName(file, rule, ruleWords))
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

/** A folder and those above it, nearest first. */
const foldersTo = (folder: string): readonly string[] =>
  dirname(folder) === folder ? [folder] : [folder, ...foldersTo(dirname(folder))]

interface Line {
  readonly file: string
  readonly line: number
  readonly text: string
}

function linesThatName(
  file: string,
  subject: string,
  { words, least }: NonNullable<SettingsFix['ruleWords']>,
): readonly Line[] {
  const names = (text: string, word: string) =>
    new RegExp(String.raw`(?<![\w-])${escaped(word)}(?![\w-])`, 'i').test(text)
  const isNamed = (text: string) => names(text, subject) && words.filter((word) => names(text, word)).length >= least
  return readable(file)
    .split('\n')
    .flatMap((text, at) => (isNamed(text) ? [{ file, line: at + 1, text: text.trim().slice(0, SHOWN) }] : []))
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
