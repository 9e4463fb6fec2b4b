import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseSums } from '../package-texts.ts'
import { releaseNotes } from './release-notes.ts'
import { given, needed, query, run, runStep, version } from './step.ts'

/**
 * Publishes the files of `release/`: a draft of the GitHub release with all files, then the npm package, which can never
 * be taken back, then the draft is opened. Each part is left alone if an earlier run did it, so a run that failed can be
 * repeated.
 */
await runStep(async () => {
  const names = ['GITHUB_REPOSITORY', 'GITHUB_REF_NAME', 'GH_TOKEN', 'NPM_TOKEN'] as const
  const { GITHUB_REPOSITORY: repository, GITHUB_REF_NAME: tag } = needed(names, 'publishing needs them all')
  if (tag !== `v${version}`) throw new Error(`the tag is ${tag}, but package.json has the version ${version}`)
  const files = checkedFiles()
  const temp = mkdtempSync(join(tmpdir(), 'aspy-publish-'))
  try {
    const notes = join(temp, 'notes.md')
    writeFileSync(notes, `${releaseNotes(readFileSync('CHANGELOG.md', 'utf8'), version).text}\n`)
    const isPublic = draftRelease({ repository, tag, notes, files })
    publishToNpm(temp)
    if (!isPublic) run('gh', ['release', 'edit', tag, '--repo', repository, '--draft=false'])
  } finally {
    rmSync(temp, { recursive: true, force: true })
  }
})

/** Returns the files of the release. Throws if one has no checksum, or another than its own. */
function checkedFiles(): readonly string[] {
  if (!existsSync('release/SHA256SUMS')) throw new Error('release/SHA256SUMS is missing: run gather.ts first')
  for (const [name, sum] of parseSums(readFileSync('release/SHA256SUMS', 'utf8'))) {
    const bytes = readFileSync(join('release', name))
    if (createHash('sha256').update(bytes).digest('hex') !== sum) throw new Error(`${name} is not what was gathered`)
  }
  return readdirSync('release').map((name) => join('release', name))
}

/** Makes the draft with all files, or completes that of an earlier run. Returns true if the release is public already. */
function draftRelease(release: { repository: string; tag: string; notes: string; files: readonly string[] }): boolean {
  const { repository, tag, notes, files } = release
  const at = [tag, '--repo', repository]
  const seen = query('gh', ['release', 'view', ...at, '--json', 'isDraft', '--jq', '.isDraft'])
  if (seen.code === 0 && seen.stdout.trim() === 'false') return true
  if (seen.code !== 0) {
    if (!/release not found/.test(seen.stderr)) throw new Error(`gh could not look for the release: ${seen.stderr}`)
    run('gh', ['release', 'create', ...at, '--draft', '--verify-tag', '--title', tag, '--notes-file', notes])
  }
  run('gh', ['release', 'upload', ...at, '--clobber', ...files])
  return false
}

/** Publishes the package unless the registry has it. Throws if the registry has another one of this version. */
function publishToNpm(temp: string): void {
  const archive = resolve('release', `aspy-${version}.tgz`)
  const registry = given('npm_config_registry') ?? 'https://registry.npmjs.org/'
  const { host, pathname, hostname } = new URL(registry)
  const userconfig = join(temp, 'npmrc')
  // npm itself replaces the name by the token, which so is in no file.
  writeFileSync(userconfig, `//${host}${pathname}:_authToken=\${NPM_TOKEN}\n`)
  // A secret that was pasted with a line end would be no header.
  const NPM_TOKEN = given('NPM_TOKEN') ?? ''
  const env = { ...process.env, NPM_TOKEN, npm_config_userconfig: userconfig, npm_config_registry: registry }
  const seen = query('npm', ['view', `aspy@${version}`, 'dist.integrity', '--json'], { env })
  const published = integrityOf(seen.stdout)
  const own = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`
  if (published === own) return console.log(`npm has aspy@${version} already.`)
  if (published !== null) {
    throw new Error(
      `npm has another aspy@${version} than release/ holds. Repeat only the failed jobs of that run, or raise the version.`,
    )
  }
  if (seen.code !== 0 && !seen.stdout.includes('E404')) throw new Error(`npm could not be asked: ${seen.stderr}`)
  // A registry of this machine cannot check where a package was built.
  const provenance = hostname !== 'localhost' && hostname !== '127.0.0.1'
  run('npm', ['publish', archive, '--access', 'public', `--provenance=${provenance}`], { env })
}

/** Returns what `npm view` says of a published package; null if there is none. */
function integrityOf(json: string): string | null {
  const said: unknown = json.trim() === '' ? null : JSON.parse(json)
  return typeof said === 'string' ? said : null
}
