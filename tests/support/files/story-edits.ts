import { lineOf, linesOf, numbered, patchOf } from './story-texts.ts'
import type { Story, StoryStep } from './repository-story.ts'
import { PERSON, type NewLine } from './true-files.ts'

const whole = (story: Story, path: string) => story.files.get(path)?.lines.map(({ text }) => text) ?? []

const write: StoryStep = (story) => {
  const { random, files } = story
  const isNew = files.paths().length < story.size && random.chance(0.6)
  const path = isNew ? story.newPath() : story.anyPath()
  if (path === null) return false
  story.note(path)
  const id = story.nextId()
  const old = whole(story, path)
  const kept = isNew ? [] : old.filter(() => random.chance(0.8))
  const at = random.int(0, kept.length)
  const texts = [...kept.slice(0, at), ...linesOf(random, 2, 14), ...kept.slice(at)]
  if (texts.at(-1) !== '' && random.chance(0.8)) texts.push('')
  files.write(path, texts, id)
  const content = texts.join('\n')
  const structuredPatch = isNew ? [] : patchOf(old.join('\n'), content)
  const detail = { type: isNew ? 'create' : 'update', filePath: story.absolute(path), content, structuredPatch }
  const output = isNew
    ? `File created successfully at: ${detail.filePath}`
    : `The file ${detail.filePath} has been updated.`
  story.call(id, 'Write', { file_path: detail.filePath, content }, { output, detail })
  story.known.add(path)
  return true
}

/** Returns a place to edit with a line kept on each side, or null if the text around it is not unique. */
function place(story: Story, path: string) {
  const { random } = story
  const texts = whole(story, path)
  if (texts.length < 2) return null
  const start = random.int(0, texts.length - 1)
  const count = random.int(0, Math.min(3, texts.length - start))
  const from = Math.max(0, start - random.int(0, 2))
  const until = Math.min(texts.length, start + count + random.int(0, 2))
  const before = texts.slice(from, until).join('\n')
  const isOnce = before !== '' && texts.join('\n').split(before).length === 2
  if (!isOnce || texts.join('\n').indexOf(before) !== texts.join('\n').lastIndexOf(before)) return null
  const made = linesOf(random, count === 0 ? 1 : 0, 4)
  const indices = (low: number, high: number) => Array.from({ length: high - low }, (_, at) => low + at)
  const next: NewLine[] = [...indices(from, start), ...made, ...indices(start + count, until)]
  const after = next.map((one) => (typeof one === 'number' ? (texts[one] ?? '') : one)).join('\n')
  // The client would take a line break along.
  return after === '' || after === before ? null : { from, until, next, before, after, texts }
}

/** Records an edit with what the client says of it. */
function edited(
  story: Story,
  path: string,
  tool: string,
  id: string,
  before: string,
  asked: object,
  more: object = {},
) {
  const filePath = story.absolute(path)
  const structuredPatch = patchOf(before, whole(story, path).join('\n'))
  const detail = { filePath, ...more, structuredPatch, userModified: false }
  const output = `The file ${filePath} has been updated.`
  story.call(id, tool, { file_path: filePath, ...asked }, { output, detail })
  return true
}

const edit: StoryStep = (story) => {
  const path = story.anyPath()
  const found = path === null ? null : place(story, path)
  if (path === null || found === null) return false
  const { from, until, next, before: oldString, after: newString, texts } = found
  const id = story.nextId()
  story.files.change(path, [from, until - from], next, id)
  const asked = { old_string: oldString, new_string: newString }
  return edited(story, path, 'Edit', id, texts.join('\n'), asked, { oldString, newString, replaceAll: false })
}

const multiEdit: StoryStep = (story) => {
  const path = story.anyPath()
  if (path === null) return false
  const id = story.nextId()
  const before = whole(story, path).join('\n')
  const edits: object[] = []
  for (let count = 0; count < 3; count += 1) {
    const found = place(story, path)
    if (found === null) continue
    story.files.change(path, [found.from, found.until - found.from], found.next, id)
    edits.push({ old_string: found.before, new_string: found.after })
  }
  return edits.length > 0 && edited(story, path, 'MultiEdit', id, before, { edits })
}

const replaceAll: StoryStep = (story) => {
  const path = story.anyPath()
  const word = story.random.pick(['cart', 'order', 'price', 'token'])
  const texts = path === null ? [] : whole(story, path)
  if (path === null || !texts.some((text) => text.includes(word))) return false
  const id = story.nextId()
  const next = texts.map((text, at) => (text.includes(word) ? text.replaceAll(word, `${word}s`) : at))
  story.files.change(path, [0, texts.length], next, id)
  const asked = { old_string: word, new_string: `${word}s`, replace_all: true }
  return edited(story, path, 'Edit', id, texts.join('\n'), asked)
}

const read: StoryStep = (story) => {
  const { random } = story
  const path = story.anyPath()
  if (path === null) return false
  const texts = whole(story, path)
  const isPart = texts.length > 6 && random.chance(0.5)
  const from = isPart ? random.int(0, texts.length - 3) : 0
  const lines = isPart ? texts.slice(from, from + random.int(2, 12)) : texts
  if (lines.length === 0 || texts.join('') === '') return false
  const filePath = story.absolute(path)
  const file = { filePath, numLines: lines.length, startLine: from + 1, totalLines: texts.length }
  const input = { file_path: filePath, ...(isPart ? { offset: from + 1, limit: lines.length } : {}) }
  const reminder = random.chance(0.2) ? '\n\n<system-reminder>\nBe kind.\n</system-reminder>\n' : ''
  const output = `${numbered(lines, from + 1)}${reminder}`
  story.call(story.nextId(), 'Read', input, { output, detail: { type: 'text', file } })
  if (!isPart) story.known.add(path)
  return true
}

/** Somebody works on a notebook: none of its lines is a line of text. */
const notebook: StoryStep = (story) => {
  const input = { notebook_path: story.absolute('notes.ipynb'), new_source: lineOf(story.random), cell_id: 'c1' }
  story.call(story.nextId(), 'NotebookEdit', input, { output: 'Updated cell c1' })
  return true
}

export const patch: StoryStep = (story) => {
  const { random, files } = story
  const path = random.chance(0.2) ? story.newPath() : story.anyPath()
  if (path === null || story.isCrlf(path)) return false
  const id = story.nextId()
  if (files.get(path) === undefined) {
    const made = linesOf(random, 2, 8)
    files.write(path, [...made, ''], id)
    story.known.add(path)
    return story.patch(id, [`*** Add File: ${path}`, ...made.map((line) => `+${line}`)])
  }
  const found = place(story, path)
  if (found === null) return false
  const { from, until, next, before } = found
  if (next.every((one) => typeof one === 'number')) return false
  const kept = new Set(next)
  // In the order of the patch: removed lines come where they were.
  const lines: string[] = []
  const old = before.split('\n').map((text, at) => ({ text, at: from + at }))
  const first = old.findIndex(({ at }) => !kept.has(at))
  const added = next.filter((one) => typeof one === 'string').map((line) => `+${line}`)
  const head = next.findIndex((one) => typeof one === 'string')
  for (const [index, { text, at }] of old.entries()) {
    if (index === head && first < 0) lines.push(...added)
    if (index === first) lines.push(...old.filter((one) => !kept.has(one.at)).map((one) => `-${one.text}`), ...added)
    if (kept.has(at)) lines.push(` ${text}`)
  }
  if (first < 0 && head >= old.length) lines.push(...added)
  files.change(path, [from, until - from], next, id)
  return story.patch(id, [`*** Update File: ${path}`, '@@', ...lines])
}

/** What a person does in an editor, of which nothing is recorded. */
export const person: StoryStep = (story) => {
  const { random, files } = story
  const path = story.anyPath()
  if (path === null) return false
  story.known.delete(path)
  const texts = whole(story, path)
  const start = random.int(0, Math.max(0, texts.length - 1))
  const count = random.int(0, Math.min(4, texts.length - start))
  const block = Array.from({ length: count }, (_, at) => start + at)
  switch (random.int(0, 4)) {
    case 0:
      files.change(path, [start, 0], linesOf(random, 1, 5), PERSON)
      return true
    case 1:
      files.change(path, [start, count], linesOf(random, 0, 3), PERSON)
      return true
    case 2: {
      // A block is moved up: its lines stay who they were.
      const to = random.int(0, start)
      const between = Array.from({ length: start - to }, (_, at) => to + at)
      files.change(path, [to, start - to + count], [...block, ...between], PERSON)
      return true
    }
    case 3:
      files.change(path, [start + count, 0], texts.slice(start, start + count), PERSON)
      return true
    default: {
      const made = story.newPath()
      if (random.chance(0.5)) files.remove(path)
      else if (made !== null) files.set(made, { lines: [{ text: lineOf(random), by: [PERSON] }], ending: '\n' })
      return true
    }
  }
}

/** Edits are what agents do most. */
export const TOOLS: readonly StoryStep[] = [edit, edit, edit, edit, write, multiEdit, replaceAll, read, read, notebook]
