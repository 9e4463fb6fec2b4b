import { unifiedDiff } from './unified-diff.ts'

/** Returns the change of a file as `git apply` takes it, '' if there is none. A text is null if there is no file. */
export function gitPatch(name: string, before: string | null, after: string | null): string {
  if (before === after) return ''
  const [old, next] = [quoted(`a/${name}`), quoted(`b/${name}`)]
  const kind = before === null ? ['new file mode 100644'] : after === null ? ['deleted file mode 100644'] : []
  const hunks = unifiedDiff(signed(before ?? ''), signed(after ?? ''))
  // Without lines, git wants the hash of nothing.
  const hashes = before === null ? '0000000..e69de29' : 'e69de29..0000000'
  const body =
    hunks === ''
      ? [`index ${hashes}`]
      : [`--- ${before === null ? '/dev/null' : old}`, `+++ ${after === null ? '/dev/null' : next}`, unsigned(hunks)]
  return `${[`diff --git ${old} ${next}`, ...kind, ...body].join('\n')}\n`
}

/** Names with such signs are quoted; a tab ends one with a space. */
function quoted(name: string): string {
  // eslint-disable-next-line no-control-regex
  return /["\\\u0000-\u001f]/.test(name) ? JSON.stringify(name) : name
}

const OPEN = '\u0000'

/** Gives every line a sign, so that an empty one is not nothing, and the last one another if no newline ends it. */
function signed(text: string): string {
  const lines = text.split('\n').map((line) => ` ${line}`)
  if (lines.at(-1) === ' ') return lines.slice(0, -1).join('\n')
  return `${lines.join('\n')}${OPEN}`
}

const unsigned = (hunks: string): string =>
  hunks
    .split('\n')
    .map((line) => (line.startsWith('@@') ? line : `${line.slice(0, 1)}${line.slice(2)}`))
    .join('\n')
    .replaceAll(OPEN, '\n\\ No newline at end of file')
