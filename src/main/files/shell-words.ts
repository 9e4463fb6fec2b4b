/** A word of a command; null if the shell computes it: a variable, a pattern, the output of a command. */
export type ShellWord = string | null

/** A file that a command's output is written to; null: a computed one. */
export interface ShellOutput {
  readonly target: ShellWord
  readonly isAppended: boolean
  /** It gets what the command says of its errors, or writes elsewhere: not its output. */
  readonly isAside: boolean
}

/** A command without operators. */
export interface ShellCommand {
  readonly words: readonly ShellWord[]
  /** The words that name the files of a folder by a pattern, by their place: `src/*.ts`. */
  readonly patterns: ReadonlyMap<number, string>
  readonly outputs: readonly ShellOutput[]
  /** The text given to it (`<<`, `<<<`); null: none, or a computed one. */
  readonly text: ShellWord
  /** It reads or feeds another command. */
  readonly isPiped: boolean
  /** It reads no other command. */
  readonly isFirst: boolean
  /** The operator behind it; '' at the end. */
  readonly after: string
  /** It may not run, or may fail unnoticed: around `||`, behind a `&&` that is not the line's end, while others run. */
  readonly isUncertain: boolean
}

/** Returns the flags of a command: words that begin with a dash, up to `--`. */
export function flagsIn(words: readonly ShellWord[]) {
  const end = words.indexOf('--')
  const isFlag = (at: number) => words[at]?.startsWith('-') === true && (end < 0 || at <= end)
  return { isFlag, flags: words.filter((_, at) => isFlag(at) && at !== end).join(' ') }
}

/** Words that begin more than a simple command. */
const KEYWORDS = new Set('if then elif else fi for while until do done case esac select function coproc'.split(' '))

const OPERATORS = ['&&', '||', ';;', '|&', ';', '|', '&', '\n'] as const
const REDIRECTION = /^(\d|&)?(>>|>\||>|<<<|<<-?|<)(?!\()/
/** Harmless targets: the terminal, another descriptor, nothing. */
const NO_FILE = /^(?:&\d|&-|\/dev\/(?:null|stdout|stderr|tty))$/
const COMPUTED = /[$`*?[\]{}~!]/
/** Every shell reads it in the same way. */
const PATTERN = /^(?!-)(?:[\w./@+-]*\/)?[\w.@+-]*\*[\w.@+-]*$/
const MAX_LENGTH = 200_000

/** Splits a command line; null if it has more than simple commands: loops, functions, groups, command substitutions. */
export function shellCommands(line: string): readonly ShellCommand[] | null {
  if (line.length > MAX_LENGTH) return null
  const parser = new Parser(line)
  return parser.commands()
}

interface Open {
  words: ShellWord[]
  patterns: Map<number, string>
  outputs: ShellOutput[]
  text: ShellWord
  /** What it says of its errors is not in the line's output. */
  isHushed: boolean
}

type Parsed = Open & Omit<ShellCommand, keyof Open | 'isUncertain'> & { isUncertain: boolean; readonly before: string }

/** Programs of which nobody expects that they fail. */
const SURE = new Set<ShellWord | undefined>(['cd', 'mkdir', 'set'])

/** True if a command of a list (`&&`, `||`) may not run, or fail, though the line succeeds. */
function isUnsure(list: readonly Parsed[], command: Parsed, isLast: boolean): boolean {
  if (list.some(({ before, after }) => before === '||' || after === '||')) return true
  if (command.isHushed && (!isLast || command.after.startsWith('|'))) return true
  const earlier = list.slice(0, list.indexOf(command))
  return !isLast && earlier.some(({ words, after }) => after === '&&' && !SURE.has(words[0]))
}

class Parser {
  readonly #line: string
  #at = 0
  /** Here-documents begin after the end of the line that names them. */
  #awaited: { readonly end: string; readonly isPlain: boolean; readonly hasTabs: boolean; readonly of: Open }[] = []

  constructor(line: string) {
    this.#line = line
  }

  commands(): readonly ShellCommand[] | null {
    const found: Parsed[] = []
    let list: Parsed[] = []
    let before = ''
    const end = this.#line.trimEnd().length
    while (this.#at < this.#line.length) {
      const open: Open = { words: [], patterns: new Map(), outputs: [], text: null, isHushed: false }
      const operator = this.#simple(open)
      if (operator === null) return null
      if (operator === '\n' && !this.#documents()) return null
      const isFirst = !before.startsWith('|') || before === '||'
      const isPiped = !isFirst || operator === '|' || operator === '|&'
      if (open.words.length > 0 || open.outputs.length > 0)
        // The object itself: the text of a here-document comes later.
        list.push(Object.assign(open, { isPiped, isFirst, isUncertain: operator === '&', before, after: operator }))
      if (/^(?:[;&\n]|)$/.test(operator)) {
        found.push(...list)
        const isLast = this.#at >= end
        list.forEach((command) => (command.isUncertain ||= isUnsure(list, command, isLast)))
        list = []
      }
      before = operator
    }
    return this.#awaited.length > 0 ? null : [...found, ...list]
  }

  /** Reads up to an operator, and returns it; '' at the end, null if it is not a simple command. */
  #simple(open: Open): string | null {
    for (;;) {
      this.#skipSpace()
      const rest = this.#line.slice(this.#at, this.#at + 4)
      if (rest === '') return ''
      const operator = OPERATORS.find((one) => rest.startsWith(one))
      if (operator !== undefined && !rest.startsWith('&>')) {
        this.#at += operator.length
        return operator === ';;' ? null : operator
      }
      if (/^[(){}]/.test(rest)) return null
      const redirection = REDIRECTION.exec(rest)
      if (redirection !== null) {
        this.#at += redirection[0].length
        if (!this.#redirect(redirection[2] ?? '', redirection[1] ?? '', open)) return null
        continue
      }
      const begin = this.#at
      const word = this.#word()
      // A sign that begins neither a word nor an operator, as of `<(…)`.
      if (word === undefined || this.#at === begin) return null
      const written = this.#line.slice(begin, this.#at)
      if (open.words.length === 0 && KEYWORDS.has(written)) return null
      if (word === null && PATTERN.test(written)) open.patterns.set(open.words.length, written)
      open.words.push(word)
    }
  }

  #redirect(sign: string, stream: string, open: Open): boolean {
    open.isHushed ||= sign.startsWith('>') && (stream === '2' || stream === '&')
    this.#skipSpace()
    if (sign.startsWith('<<') && sign !== '<<<') {
      const isPlain = /^['"\\]/.test(this.#line.slice(this.#at))
      const end = this.#word()
      if (typeof end !== 'string') return false
      this.#awaited.push({ end, isPlain, hasTabs: sign !== '<<-', of: open })
      return true
    }
    const number = /^&(?:\d|-)/.exec(this.#line.slice(this.#at, this.#at + 2))?.[0]
    if (number !== undefined) {
      this.#at += number.length
      return true
    }
    const target = this.#word()
    if (target === undefined) return false
    if (sign === '<<<') open.text = target === null ? null : `${target}\n`
    else if (sign.startsWith('>') && !(target !== null && NO_FILE.test(target)))
      open.outputs.push({ target, isAppended: sign === '>>', isAside: !/^[1&]?$/.test(stream) })
    return true
  }

  /** Takes the here-documents that were named before this end of a line. */
  #documents(): boolean {
    for (const { end, isPlain, hasTabs, of } of this.#awaited) {
      const lines: string[] = []
      for (;;) {
        if (this.#at >= this.#line.length) return false
        const next = this.#line.indexOf('\n', this.#at)
        const written = this.#line.slice(this.#at, next < 0 ? undefined : next)
        const line = hasTabs ? written : written.replace(/^\t+/, '')
        this.#at = next < 0 ? this.#line.length : next + 1
        if (line === end) break
        lines.push(`${line}\n`)
      }
      const text = lines.join('')
      of.text = isPlain || !/[$`\\]/.test(text) ? text : null
    }
    this.#awaited = []
    return true
  }

  /** Returns a word without its quotes; undefined if it has no end or runs a command. */
  #word(): ShellWord | undefined {
    let word = ''
    let isComputed = false
    for (; this.#at < this.#line.length; this.#at += 1) {
      const sign = this.#line[this.#at] ?? ''
      if (/[\s;|&<>()]/.test(sign)) break
      if (sign === "'" || sign === '"') {
        const quoted = this.#quoted(sign)
        if (quoted === null) return undefined
        isComputed ||= quoted.isComputed
        word += quoted.text
      } else if (sign === '\\') {
        this.#at += 1
        const escaped = this.#line[this.#at]
        if (escaped === undefined) return undefined
        word += escaped === '\n' ? '' : escaped
      } else {
        if (sign === '`' || (sign === '$' && this.#line[this.#at + 1] === '(')) return undefined
        isComputed ||= COMPUTED.test(sign)
        word += sign
      }
    }
    return isComputed ? null : word
  }

  /** Ends on the closing quote. */
  #quoted(quote: string): { readonly text: string; readonly isComputed: boolean } | null {
    let text = ''
    let isComputed = false
    for (this.#at += 1; this.#at < this.#line.length; this.#at += 1) {
      const sign = this.#line[this.#at] ?? ''
      if (sign === quote) return { text, isComputed }
      if (quote === '"' && sign === '\\' && /[$`"\\\n]/.test(this.#line[this.#at + 1] ?? '')) {
        this.#at += 1
        text += this.#line[this.#at] === '\n' ? '' : (this.#line[this.#at] ?? '')
        continue
      }
      if (quote === '"' && (sign === '`' || (sign === '$' && this.#line[this.#at + 1] === '('))) return null
      isComputed ||= quote === '"' && sign === '$'
      text += sign
    }
    return null
  }

  #skipSpace(): void {
    for (;;) {
      const found = /^(?:[ \t\r]+|\\\r?\n|#[^\n]*)/.exec(this.#line.slice(this.#at, this.#at + 400))?.[0]
      if (found === undefined) return
      if (found.startsWith('#') && !/^$|\s/.test(this.#line[this.#at - 1] ?? '')) return
      this.#at += found.length
    }
  }
}
