import { isTelling } from './aligned-lines.ts'
import type { FileLine } from './file-step.ts'
import { formatted } from './present-lines.ts'

/** The lines that a file had and lost: a person who undoes a formatter brings one of them back. */
export class EarlierForms {
  readonly #texts = new Set<string>()
  readonly #byForm = new Map<string, string[]>()
  /** What a call wrapped otherwise: the texts that it made these lines of. */
  readonly #wrapped = new WeakMap<FileLine, readonly string[]>()

  /** Notes what a step made of the lines of a file. */
  note(before: readonly FileLine[], after: readonly FileLine[]): void {
    const [lost, made] = changedBetween(before, after)
    const texts = lost.flatMap(({ text }) => text ?? [])
    for (const text of texts) {
      const form = this.#texts.has(text) ? '' : formatted(text)
      this.#texts.add(text)
      if (isTelling(form)) this.#byForm.set(form, [...(this.#byForm.get(form) ?? []), text])
    }
    const whole = (of: readonly string[]) => formatted(of.join('\n'))
    if (lost.length === made.length || whole(texts) !== whole(made.flatMap(({ text }) => text ?? []))) return
    for (const line of made) this.#wrapped.set(line, texts)
  }

  /** Returns the other texts that a line of the file may have been before a call formatted it. */
  of(line: FileLine): readonly string[] {
    if (line.text === null) return []
    const forms = this.#byForm.size === 0 ? [] : (this.#byForm.get(formatted(line.text)) ?? [])
    return [...forms, ...(this.#wrapped.get(line) ?? [])].filter((text) => text !== line.text)
  }
}

/** Returns the lines that only one side has, between those with which both begin and end. */
export function changedBetween(before: readonly FileLine[], after: readonly FileLine[]) {
  if (before === after) return [[], []] as const
  let [from, end] = [0, 0]
  const most = Math.min(before.length, after.length)
  while (from < most && before[from] === after[from]) from += 1
  while (end < most - from && before.at(-1 - end) === after.at(-1 - end)) end += 1
  const [old, next] = [before.slice(from, before.length - end), after.slice(from, after.length - end)]
  const [olds, news] = [new Set(old), new Set(next)]
  return [old.filter((line) => !news.has(line)), next.filter((line) => !olds.has(line))] as const
}
