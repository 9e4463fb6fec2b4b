import { existsSync } from 'node:fs'
import { hasProgress, type StoryStep } from './repository-story.ts'
import { lineOf, linesOf } from './story-texts.ts'

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** Commands that are run in a real shell, in the folder of the story. */
export const COMMANDS: Readonly<Record<string, StoryStep>> = {
  remove(story) {
    const path = story.anyPath()
    if (path === null || story.files.paths().length < 4) return false
    story.note(path)
    story.bash(`rm ${path}`)
    story.files.remove(path)
    return true
  },
  move(story) {
    const [path, to] = [story.anyPath(), story.newPath()]
    if (path === null || to === null) return false
    story.bash(`mkdir -p src && ${story.random.chance(0.5) ? `mv ${path} ${to}` : `mv -f ${path} ${to}; ls`}`)
    story.files.move(path, to)
    story.moveKnown(path, to)
    return true
  },
  copy(story) {
    const [path, to] = [story.anyPath(), story.newPath()]
    if (path === null || to === null) return false
    story.bash(`mkdir -p src && cp ${path} ${to}`)
    story.files.move(path, to, { isCopy: true })
    return true
  },
  moveFolder(story) {
    const [inside, to] = [story.files.paths().filter((path) => path.startsWith('src/')), story.newPath()]
    if (inside.length === 0 || to === null) return false
    const folder = `lib${/\d+/.exec(to)?.[0]}`
    story.bash(story.random.chance(0.5) ? `mv src ${folder}` : `mkdir ${folder} && mv src/*.ts ${folder}/; rmdir src`)
    for (const path of inside) {
      story.files.move(path, path.replace('src', folder))
      story.known.delete(path)
    }
    return true
  },
  failedMove(story) {
    const path = story.anyPath()
    if (path === null) return false
    story.bash(
      story.random.pick([`mv missing.ts ${path} || true`, `mv missing.ts ${path}; ls`, `false && rm ${path}; ls`]),
    )
    return true
  },
  substitute(story) {
    const path = story.anyPath()
    const lines = path === null ? [] : (story.files.get(path)?.lines ?? [])
    if (path === null || !lines.some(({ text }) => text.includes('stock'))) return false
    const id = story.bash(`sed -i 's/stock/stocks/g' ${path}`)
    const changed = lines.map((line) =>
      line.text.includes('stock')
        ? { text: line.text.replaceAll('stock', 'stocks'), by: [id], isUnproven: true as const }
        : line,
    )
    story.files.set(path, { ...story.file(path), lines: changed }, true)
    return true
  },
  hereDocument(story) {
    const path = story.anyPath()
    if (path === null || story.isCrlf(path)) return false
    story.note(path)
    const texts = [...linesOf(story.random, 2, 8), '']
    const said = texts.slice(0, -1).map(quoted).join(' ')
    const id = story.bash(
      story.random.pick([
        `cat > ${path} <<'EOF'\n${texts.join('\n')}EOF`,
        `cat <<'EOF' | tee ${path} > /dev/null\n${texts.join('\n')}EOF`,
        `printf '%s\\n' ${said} > ${path}`,
      ]),
    )
    story.files.write(path, texts, id)
    story.known.add(path)
    return true
  },
  append(story) {
    const path = story.anyPath()
    if (path === null || story.isCrlf(path)) return false
    const text = lineOf(story.random)
    const id = story.bash(`echo ${quoted(text)} >> ${path}`)
    const { lines } = story.file(path)
    const last = lines.at(-1)
    // An empty line at a line without its break only ends that.
    const joined = { text: `${last?.text ?? ''}${text}`, by: text === '' ? (last?.by ?? [id]) : [id] }
    story.files.set(path, { ...story.file(path), lines: [...lines.slice(0, -1), joined, { text: '', by: [id] }] }, true)
    return true
  },
  show(story) {
    const path = story.anyPath()
    if (path === null) return false
    const from = story.random.int(1, 9)
    story.bash(
      story.random.pick([`cat ${path}`, `head -n 5 ${path}`, `sed -n '${from},${from + 4}p' ${path}`, 'git diff']),
    )
    return true
  },
  commit(story) {
    story.bash("git add -A && git commit -qm 'some work'")
    story.committed()
    return true
  },
  squash(story) {
    if (!hasProgress(story)) return false
    const merge = 'git checkout -q main && git merge -q --squash work && git commit -qm squashed && git branch -qD work'
    story.bash(`git checkout -qb work && git add -A && git commit -qm one && ${merge}`)
    story.committed()
    return true
  },
  amend(story) {
    if (!story.hasCommit) return false
    story.bash('git add -A && git commit -q --amend -m again && git rebase -q HEAD')
    story.committed()
    return true
  },
  restore(story) {
    const path = story.random.pick([...story.head.keys(), ''])
    if (path === '' || story.files.get(path) === undefined || story.isStaged(path)) return false
    story.bash(story.random.chance(0.5) ? `git checkout -- ${path}` : `git restore ${path}`)
    story.files.bringBack(story.head, path)
    story.known.delete(path)
    return true
  },
  stash(story) {
    if (!story.hasCommit || !hasProgress(story)) return false
    const before = story.files.snapshot()
    story.bash('git add -A && git stash -q')
    story.files.bringBack(story.head)
    if (story.random.chance(0.7)) COMMANDS['show']?.(story)
    story.bash('git stash pop -q')
    story.files.bringBack(before)
    return true
  },
  clean(story) {
    if (!story.hasCommit) return false
    story.bash('git clean -fdq')
    // What is only to be committed stays, too.
    const kept = new Map([...story.files.snapshot()].filter(([path]) => existsSync(story.absolute(path))))
    story.files.bringBack(kept)
    return true
  },
  format(story) {
    const path = story.anyPath()
    if (path === null || story.isCrlf(path)) return false
    story.bash(`sh .format.sh ${path}`)
    const lines = story.file(path).lines.map((line) => ({ ...line, text: line.text.replace(/^ {2}/, '    ') }))
    story.files.set(path, { ...story.file(path), lines }, true)
    return true
  },
}
