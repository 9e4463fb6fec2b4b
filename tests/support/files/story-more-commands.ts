import { existsSync, readFileSync } from 'node:fs'
import { unifiedDiff } from '../../../src/main/files/unified-diff.ts'
import type { Story, StoryStep } from './repository-story.ts'
import { lineOf, linesOf } from './story-texts.ts'
import type { TrueLine } from './true-files.ts'

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
const named = (path: string) => (/^[\w./-]+$/.test(path) ? path : quoted(path))

/** A file that a script can take apart by line breaks. */
function plainPath(story: Story): string | null {
  const path = story.anyPath()
  return path === null || story.isCrlf(path) || story.file(path).lines.length < 3 ? null : path
}

/** Writes lines that a command made on the disk, which its text alone does not tell. */
function found(story: Story, path: string, lines: readonly TrueLine[]): true {
  story.files.set(path, { ...story.file(path), lines }, true)
  story.known.delete(path)
  return true
}

const python = (code: string) => `python3 - <<'EOF'\n${code}\nEOF`
const rewriting = (path: string, change: string) =>
  python(
    `p = ${JSON.stringify(path)}\nlines = open(p, newline='').read().split('\\n')\n${change}\nopen(p, 'w', newline='').write('\\n'.join(lines))`,
  )

/** Inserts lines by a command, given the changed text's diff, unless the command refuses to. */
function inserted(story: Story, command: (path: string, at: number, made: readonly string[]) => string): boolean {
  const path = plainPath(story)
  if (path === null) return false
  const { lines, ending } = story.file(path)
  const at = story.random.int(0, lines.length - 2)
  const made = linesOf(story.random, 1, 4)
  const id = story.bash(command(path, at, made))
  const isAsBefore = (at: string) =>
    existsSync(story.absolute(at)) && readFileSync(story.absolute(at), 'utf8') === story.files.text(path)
  // `patch` keeps what was there where it had to guess.
  const copies = lines.map((line) => ({ ...line, isUnproven: true as const }))
  if (isAsBefore(`${path}.orig`)) story.files.set(`${path}.orig`, { lines: copies, ending }, true)
  // What it could not place it keeps, too, in words of its own.
  const rejected = story.absolute(`${path}.rej`)
  const kept = existsSync(rejected) ? readFileSync(rejected, 'utf8') : ''
  if (kept !== '' && kept !== story.files.text(`${path}.rej`)) {
    const said = kept.split('\n')
    const own = said.map((text): TrueLine => ({ text, by: [id], isUnproven: true }))
    story.files.set(`${path}.rej`, { lines: own, ending: '\n' }, true)
  }
  if (isAsBefore(path)) return true
  const next = made.map((text): TrueLine => ({ text, by: [id], isUnproven: true }))
  return found(story, path, lines.toSpliced(at, 0, ...next))
}

const diffOf = (story: Story, path: string, at: number, made: readonly string[]) => {
  const before = story.file(path).lines.map(({ text }) => text)
  return `--- a/${path}\n+++ b/${path}\n${unifiedDiff(before.join('\n'), before.toSpliced(at, 0, ...made).join('\n'))}`
}

/** Further tools with which agents change files. */
export const MORE_COMMANDS: Readonly<Record<string, StoryStep>> = {
  script: (story) =>
    inserted(story, (path, at, made) => rewriting(path, `lines[${at}:${at}] = ${JSON.stringify(made)}`)),
  patchProgram: (story) =>
    inserted(story, (path, at, made) => `patch -s -p1 <<'EOF'\n${diffOf(story, path, at, made)}\nEOF`),
  gitApply: (story) => inserted(story, (path, at, made) => `git apply <<'EOF'\n${diffOf(story, path, at, made)}\nEOF`),
  sedInsert: (story) =>
    inserted(
      story,
      (path, at, made) =>
        `sed -i ${made.map((line) => `-e ${quoted(`${at + 1}i\\\n${line}`)}`).join(' ')} ${named(path)}`,
    ),
  sedDelete(story) {
    const path = plainPath(story)
    if (path === null) return false
    const { lines } = story.file(path)
    const at = story.random.int(0, lines.length - 3)
    story.bash(`sed -i '${at + 1}d' ${named(path)}`)
    return found(story, path, lines.toSpliced(at, 1))
  },
  perl(story) {
    const path = plainPath(story)
    if (path === null || !story.file(path).lines.some(({ text }) => text.includes('parcel'))) return false
    const id = story.bash(`perl -pi -e 's/parcel/parcels/g' ${named(path)}`)
    return found(
      story,
      path,
      story
        .file(path)
        .lines.map((line) =>
          line.text.includes('parcel')
            ? { text: line.text.replaceAll('parcel', 'parcels'), by: [id], isUnproven: true }
            : line,
        ),
    )
  },
  teeAppend(story) {
    const path = plainPath(story)
    const lines = path === null ? [] : story.file(path).lines
    if (path === null || lines.at(-1)?.text !== '') return false
    const text = lineOf(story.random)
    const id = story.bash(`printf '%s\\n' ${quoted(text)} | tee -a ${named(path)} > /dev/null`)
    story.files.set(
      path,
      { ...story.file(path), lines: [...lines.slice(0, -1), { text, by: [id] }, { text: '', by: [id] }] },
      true,
    )
    return true
  },
  prettier(story) {
    const path = plainPath(story)
    if (path === null) return false
    const id = story.bash(
      rewriting(
        path,
        `lines = [l + ';' if l.strip().startswith('const') and not l.endswith(';') else l for l in lines]`,
      ),
    )
    return found(
      story,
      path,
      story
        .file(path)
        .lines.map((line) =>
          line.text.trim().startsWith('const') && !line.text.endsWith(';')
            ? { text: `${line.text};`, by: [id, ...line.by], isUnproven: true }
            : line,
        ),
    )
  },
  gitMove(story) {
    const [path, to] = [story.random.pick([...story.head.keys(), '']), story.newPath()]
    if (path === '' || to === null || story.files.get(path) === undefined) return false
    story.bash(`mkdir -p src && git mv ${named(path)} ${named(to)}`)
    // git moves no file that it does not know by now.
    if (existsSync(story.absolute(path))) return true
    story.files.move(path, to)
    story.moveKnown(path, to)
    return true
  },
  scriptMove(story) {
    const [path, to] = [story.anyPath(), story.newPath()]
    if (path === null || to === null) return false
    story.bash(
      python(`import os\nos.makedirs('src', exist_ok=True)\nos.rename(${JSON.stringify(path)}, ${JSON.stringify(to)})`),
    )
    story.files.move(path, to)
    story.known.delete(path)
    return found(
      story,
      to,
      story.file(to).lines.map((line) => ({ ...line, isUnproven: true })),
    )
  },
  restoreSource(story) {
    const path = story.random.pick([...story.head.keys(), ''])
    if (path === '' || story.files.get(path) === undefined) return false
    story.bash(`git restore --source=HEAD ${named(path)}`)
    story.files.bringBack(story.head, path)
    story.known.delete(path)
    return true
  },
  backUp(story) {
    const path = plainPath(story)
    if (path === null) return false
    const back = named(`.${path.replaceAll('/', '-')}.bak`)
    story.bash(`cp ${named(path)} ${back}`)
    story.bash(rewriting(path, `lines = ['nothing']`))
    story.bash(`mv ${back} ${named(path)}`)
    return found(story, path, story.file(path).lines)
  },
  failedEdit(story) {
    const path = story.anyPath()
    if (path === null) return false
    const input = { file_path: story.absolute(path), old_string: 'not in it', new_string: lineOf(story.random) }
    const output = story.random.pick([
      '<tool_use_error>String to replace not found in file.\nString: not in it</tool_use_error>',
      "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).",
    ])
    story.call(story.nextId(), 'Edit', input, { output, isError: true })
    return true
  },
  refusedWrite(story) {
    const path = story.anyPath()
    if (path === null) return false
    const input = { file_path: story.absolute(path), content: linesOf(story.random, 1, 3).join('\n') }
    const output = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    story.call(story.nextId(), 'Write', input, { output, isError: true })
    return true
  },
}
