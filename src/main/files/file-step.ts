import type { ChangePart } from '../../shared/file-change.ts'
import type { SeenFile } from '../../shared/seen-file.ts'
import { joinedPath, nameOf } from './joined-path.ts'

/** What one call did to a file, or showed of it, as far as its text says. */
export type FileStep =
  /** Written whole. */
  | {
      readonly kind: 'written'
      readonly path: string
      readonly text: string
      /** `unknown`: a person changed what was asked for. */
      readonly origin: LineOrigin
      /** The client keeps the line ending of a file that is there. */
      readonly isExact: boolean
      /** Lines that were there before may have other spaces around them. */
      readonly isIndentedAgain?: true
      /** The places of its new lines, as far as the client says; the others were there before. */
      readonly added?: ReadonlySet<number> | null
    }
  | { readonly kind: 'appended'; readonly path: string; readonly text: string }
  /** `told`: the same change in the client's words, which shows tabs as spaces. */
  | {
      readonly kind: 'changed'
      readonly path: string
      readonly parts: readonly ChangePart[]
      readonly told: readonly ChangePart[]
      readonly isNew: boolean
      readonly origin: LineOrigin
    }
  /** Shown, beginning with the line of that number. `isWhole`: those are all of its lines. */
  | {
      readonly kind: 'shown'
      readonly path: string
      readonly from: number
      readonly lines: readonly string[]
      readonly isWhole: boolean
      readonly ending: LineEnding
    }
  /** The path, or the folder with all below it, is gone. */
  | { readonly kind: 'deleted'; readonly path: string }
  /** In each line, one text was replaced by another: the first time, or each. */
  | {
      readonly kind: 'substituted'
      readonly path: string
      readonly before: string
      readonly after: string
      readonly isAll: boolean
    }
  /**
   * `isCopy`: what was there stays. Without `isSure`, it went to that name, or into a folder of that name. `only`: of the
   * folder, what has a name like this went into the other one.
   */
  | {
      readonly kind: 'moved'
      readonly path: string
      readonly to: string
      readonly isCopy: boolean
      readonly isSure: boolean
      readonly only?: string
      /** Somebody else did it, before what is known of the new name. */
      readonly isEarlier?: true
    }
  /**
   * It was on the disk like this, before a command or after it. Without a hash, it is gone or was not read; without a text,
   * it is as it was at that hash. `isSure`: only the command can have changed it. `said`: lines that are the command's own
   * where others need not be.
   */
  | {
      readonly kind: 'found'
      readonly path: string
      readonly at: SeenFile['at']
      readonly hash: string | null
      readonly text: string | null
      readonly why: SeenFile['why_not']
      readonly isSure: boolean
      readonly said?: ReadonlySet<string>
    }
  /** Of the files below, the command before changed no other that was found earlier. */
  | { readonly kind: 'unchanged'; readonly path: string }
  /** Aspy wrote it as another one, or itself, was after an event. */
  | { readonly kind: 'restored'; readonly path: string; readonly from: string; readonly event: string }
  /** It may have been written; null: any file. */
  | { readonly kind: 'doubted'; readonly path: string | null }

/** Something may have written any file. */
export const DOUBT: FileStep = { kind: 'doubted', path: null }

type Moved = Extract<FileStep, { kind: 'moved' }>

/** Returns the paths to which a file may have been moved. */
export const targetsOf = ({ path, to, isSure, only }: Moved): readonly string[] =>
  isSure || only !== undefined ? [to] : [to, `${to}/${nameOf(path)}`]

/** Returns what a path has behind that of a folder, if a step moves it; null otherwise. */
export function movedRest({ only }: Moved, folder: string, path: string): string | null {
  if (only === undefined && path === folder) return ''
  if (!path.startsWith(`${folder}/`)) return null
  const rest = path.slice(folder.length)
  const [, name = ''] = rest.split('/')
  const [begin = '', end = ''] = (only ?? '*').split('*')
  // A star leaves out hidden files.
  const isLike =
    only === undefined || (name.startsWith('.') === begin.startsWith('.') && name.length >= only.length - 1)
  return isLike && name.startsWith(begin) && name.endsWith(end) ? rest : null
}

/** Between the lines of a file; null: not recorded. */
export type LineEnding = 'lf' | 'crlf' | null

/** Where a line comes from: `proven` by a call's own text, `derived` from a command, `seen` when it was there before. */
export type LineOrigin = 'proven' | 'derived' | 'seen' | 'unknown'

/** A line of a file. Its text is null where the record does not have it: a hole. */
export interface FileLine {
  readonly text: string | null
  readonly origin: LineOrigin
  /** The event that wrote or first showed it. */
  readonly event: string | null
}

/** In a file of both line endings, some lines keep a part of theirs. */
export const withoutReturn = (text: string): string => (text.endsWith('\r') ? text.slice(0, -1) : text)

/** Returns the lines of a text without their ending, if they all have the same. */
export function linesIn(text: string): { readonly lines: readonly string[]; readonly ending: LineEnding } {
  const lines = text.split('\n')
  const isBoth = lines.length > 1 && lines.slice(0, -1).every((line) => line.endsWith('\r'))
  if (isBoth) return { lines: text.split('\r\n'), ending: 'crlf' }
  return { lines, ending: lines.length > 1 && !text.includes('\r') ? 'lf' : null }
}

/** Returns the doubt of the file that a word of a command names. */
export const doubtOf = (folder: string | null, word: string | null): FileStep =>
  onPath(folder, word, (path) => ({ kind: 'doubted', path }))

/** Returns a step of the file that a word of a command names. */
export function onPath(folder: string | null, word: string | null, step: (path: string) => FileStep): FileStep {
  const path = word === null ? null : joinedPath(folder, word)
  return path === null ? DOUBT : step(path)
}
