import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { packageTexts } from '../package-texts.ts'
import { needed, run, runStep, version } from './step.ts'

/** What the updater of each system reads, and what an earlier run of this step made. */
const FEEDS = ['latest.yml', 'latest-mac.yml', 'latest-linux.yml']
const MADE = ['SHA256SUMS', 'package-texts.tar.gz']

/** Writes checksums, and the texts for Homebrew, winget and the AUR, beside the files in `release/`. */
await runStep(() => {
  const { GITHUB_REPOSITORY: repository } = needed(['GITHUB_REPOSITORY'], 'the texts link to its releases')
  const all = readdirSync('release')
  const names = all.filter(
    (name) => name.startsWith(`aspy-${version}`) && /^[.-]/.test(name.slice(`aspy-${version}`.length)),
  )
  const foreign = all.filter((name) => !names.includes(name) && ![...FEEDS, ...MADE].includes(name))
  if (foreign.length > 0) throw new Error(`release/ holds what is not of ${version}: ${foreign.join(', ')}`)
  checkFeeds(names)
  const hash = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join('release', name)))
      .digest('hex')
  const sums = new Map(names.map((name) => [name, hash(name)]))
  writeFileSync('release/SHA256SUMS', [...sums].map(([name, sum]) => `${sum}  ${name}\n`).join(''))
  const temp = mkdtempSync(join(tmpdir(), 'aspy-texts-'))
  try {
    for (const [path, text] of packageTexts({ version, repository, sums })) {
      const file = join(temp, 'package-texts', path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
    run('tar', ['-czf', resolve('release/package-texts.tar.gz'), '-C', temp, 'package-texts'])
  } finally {
    rmSync(temp, { recursive: true, force: true })
  }
})

/** Throws unless each system has its list for the updater, of this version, and the files that it names are there. */
function checkFeeds(names: readonly string[]): void {
  for (const feed of FEEDS) {
    const path = join('release', feed)
    if (!existsSync(path)) throw new Error(`${feed} is missing: the updater of that system would find nothing`)
    const text = readFileSync(path, 'utf8')
    const of = /^version: (.+)$/m.exec(text)?.[1]
    if (of !== version) throw new Error(`${feed} is of ${of ?? 'no version'}, not ${version}`)
    const named = [...text.matchAll(/^\s*(?:- url|path): (.+)$/gm)].map(([, name = '']) => name)
    const lost = named.filter((name) => !names.includes(name))
    if (named.length === 0 || lost.length > 0)
      throw new Error(`${feed} names ${lost.join(', ') || 'no file'}, which release/ lacks`)
  }
}
