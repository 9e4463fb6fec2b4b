import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { packageTexts } from '../package-texts.ts'
import { needed, run, runStep, version } from './step.ts'

/** Writes checksums, and the texts for Homebrew, winget and the AUR, beside the files in `release/`. */
await runStep(() => {
  const { GITHUB_REPOSITORY: repository } = needed(['GITHUB_REPOSITORY'], 'the texts link to its releases')
  const names = readdirSync('release').filter((name) => name.startsWith(`aspy-${version}`))
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
