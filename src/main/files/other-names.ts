import { existsSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute } from 'node:path'
import { deadMountOf } from './dead-mounts.ts'
import type { FileStep } from './file-step.ts'

/** A name under which calls knew a folder or a file, and the one of the same in the path that was asked for. */
export interface OtherName {
  readonly from: string
  readonly to: string
}

/** On a Mac, these are links into `/private`: a shell says the one, people the other. */
const OF_MAC = ['/tmp', '/var', '/etc']

const isIn = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}/`)

/** Returns a path without links, as far as it is on this machine. */
function realOf(path: string): string {
  // Of another machine, or of one that does not answer.
  if (!isAbsolute(path) || deadMountOf(path) !== null) return path
  for (let folder = path, rest = ''; ; rest = path.slice(folder.length)) {
    try {
      return `${realpathSync(folder).replaceAll('\\', '/')}${rest}`
    } catch {
      // What is gone has the name that its folder has.
      if (dirname(folder) === folder || dirname(folder) === '/') return path
      folder = dirname(folder)
    }
  }
}

/** Returns the folders among these that are links, or are below one, with where they are. */
export const linkedFolders = (folders: readonly string[]): readonly (readonly [name: string, real: string])[] =>
  folders.flatMap((name) => {
    const real = realOf(name)
    return real === name ? [] : [[name, real] as const]
  })

/** Returns the other names of a path: those that lead to it through a link, and where its own links lead. */
export function otherNames(path: string, linked: ReturnType<typeof linkedFolders>): readonly OtherName[] {
  const names = OF_MAC.flatMap((name) => [
    { from: `/private${name}`, to: name },
    { from: name, to: `/private${name}` },
  ]).filter(({ to }) => isIn(to, path))
  // Clients write a sign with an accent as one, and some disks and keyboards as two; both may be names of their own.
  const forms = [path.normalize('NFC'), path.normalize('NFD')].filter((form) => form !== path)
  const isSameFile = (form: string) =>
    process.platform === 'darwin' || (deadMountOf(path) === null && !(existsSync(form) && existsSync(path)))
  names.push(...forms.filter(isSameFile).map((from) => ({ from, to: path })))
  const real = realOf(path)
  if (real !== path) {
    const parts = path.split('/')
    const above = parts.map((_, at) => parts.slice(0, at + 1).join('/')).filter((each) => each !== '')
    const link = above.find((each) => realOf(each) !== each && `${realOf(each)}${path.slice(each.length)}` === real)
    names.push({ from: realOf(link ?? path), to: link ?? path })
  }
  for (const [name, folder] of linked) {
    const rest = isIn(folder, real) ? real.slice(folder.length) : null
    if (rest === null) continue
    const isSame = path.endsWith(rest)
    names.push(
      isSame ? { from: name, to: path.slice(0, path.length - rest.length) } : { from: `${name}${rest}`, to: path },
    )
  }
  return names.filter(({ from, to }) => from !== to)
}

/** Returns a path with the names that it has under other ones. */
export const namesOf = (path: string, others: readonly OtherName[]): readonly string[] => [
  path,
  ...others.flatMap(({ from, to }) => (isIn(to, path) ? `${from}${path.slice(to.length)}` : [])),
]

/** Returns a step with the names of the path that was asked for. */
export function underName(step: FileStep, others: readonly OtherName[]): FileStep {
  if (step.path === null || others.length === 0) return step
  const named = (path: string): string => {
    const other = others.find(({ from }) => isIn(from, path))
    return other === undefined ? path : `${other.to}${path.slice(other.from.length)}`
  }
  const { path } = step
  const above = others.find(({ from, to }) => from.startsWith(`${path}/`) && !isIn(path, to))
  const isWhole = step.kind === 'deleted' || step.kind === 'doubted' || step.kind === 'moved'
  if (isWhole && above !== undefined) return { kind: 'doubted', path: above.to }
  if (step.kind === 'moved') return { ...step, path: named(path), to: named(step.to) }
  if (step.kind === 'restored') return { ...step, path: named(path), from: named(step.from) }
  return { ...step, path: named(path) }
}
