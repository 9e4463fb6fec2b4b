import type { Notation } from './notation.ts'
import type { NameKind } from './secret-name.ts'
import { mixesDigits, wordShare } from './strength.ts'
import { restOfLine } from './value-text.ts'

/** A value after a name, as it was found. */
export interface Named {
  readonly kind: NameKind
  readonly name: string
  /** The text before the name. */
  readonly before: string
  readonly notation: Notation
  /** The text after the name. */
  readonly ahead: string
}

/** A value that may be a secret, with all facts that signals use. */
export interface Candidate extends Pick<Named, 'kind' | 'name' | 'before'>, Pick<Notation, 'sign' | 'spaced'> {
  readonly value: string
  readonly isQuoted: boolean
  /** The quote that opens it. */
  readonly quote: string
  /** How it is written. 'line': bare, in a program or in prose, which decide by what is around it. */
  readonly form: 'line' | 'shell' | 'query' | 'flag' | 'statement' | 'cell'
  /**
   * What is done with it. 'passed': with its name to a function that may do anything; 'set': to one that sets it; 'told':
   * said in a sentence.
   */
  readonly use: 'given' | 'set' | 'passed' | 'compared' | 'told'
  /** Its name says what it is, and it is given to that name. */
  readonly isNameEnough: boolean
  /** Without its escapes and the space around it. */
  readonly said: string
  /** Has letters and digits. */
  readonly isMixed: boolean
  /** Share of words in it: 0 to 1. */
  readonly words: number
  /** Its line before the name, and the line above. */
  readonly own: string
  readonly above: string
  /** Its line after the value, and the line below. */
  readonly rest: string
  readonly below: string
}

/** Reads the facts that signals use. */
export function readCandidate(written: string, { kind, name, before, notation, ahead }: Named): Candidate {
  const isQuoted = notation.value.quote !== '' || notation.kind === 'element'
  // A dot at the end may end a sentence.
  const value = isQuoted || notation.kind === 'flag' ? written : written.replace(/(?<=[^.])\.$/, '')
  const behind = notation.kind === 'entry' ? '' : before
  const line = restOfLine(ahead, notation.value.after)
  // The line ends where the string around all of it ends.
  const rest = /^\\*["'`]/.test(line) ? '' : line
  const after = rest === line ? ahead.slice(notation.value.after + rest.length) : ''
  const lines = behind.split(/[\r\n]|\\+n/)
  const [above = '', own = ''] = ['', ...lines].slice(-2).map((text) => text.replace(/^\s*\d+→/, ''))
  const use = useOf(notation)
  return {
    kind,
    name,
    before: behind,
    sign: notation.sign,
    spaced: notation.spaced,
    value,
    isQuoted,
    quote: notation.value.quote,
    form: formOf(notation, name, { value, rest }),
    use,
    isNameEnough: (kind === 'password' || kind === 'secret') && (use === 'given' || use === 'set'),
    said: value.replaceAll(/\\+[nrt"']/g, ' ').trim(),
    isMixed: mixesDigits(value),
    words: wordShare(value),
    own,
    // In a string that begins on this line, the line above does not belong to it.
    above: own.split('"').length % 2 === 0 ? '' : above.trimEnd(),
    rest,
    below: untilStringEnd(restOfLine(after.replace(/^\\*[rn]|^\r?\n/, ''), 0)),
  }
}

function formOf({ kind }: Notation, name: string, it: Pick<Candidate, 'value' | 'rest'>): Candidate['form'] {
  if (kind === 'query' || kind === 'flag' || kind === 'statement' || kind === 'cell') return kind
  const isCode = /[a-z]/.test(name) || /^[\w.]+\(/.test(it.value) || /^\s*[,)]/.test(it.rest)
  return kind === 'shell' && !isCode ? 'shell' : 'line'
}

function useOf({ kind, sign }: Notation): Candidate['use'] {
  if (/^[=!]==?$/.test(sign)) return 'compared'
  if (kind === 'prose') return 'told'
  if (kind !== 'pair' && kind !== 'call') return 'given'
  return sign === '(' ? 'set' : 'passed'
}

/** Cuts a line at a quote that closes a string from before it. */
function untilStringEnd(line: string): string {
  const mark = /["'`]/.exec(line)?.[0]
  return mark === undefined || line.split(mark).length % 2 === 1 ? line : (line.split(mark, 1)[0] ?? '')
}
