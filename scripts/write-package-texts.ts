import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packageTexts, parseSums } from './package-texts.ts'

/** Writes the texts for Homebrew, winget and the AUR: VERSION OWNER/NAME SHA256SUMS FOLDER. */
const [version = '', repository = '', sums = '', folder = ''] = process.argv.slice(2)
if (folder === '') {
  console.error('usage: node scripts/write-package-texts.ts VERSION OWNER/NAME SHA256SUMS FOLDER')
  process.exit(1)
}
for (const [path, text] of packageTexts({ version, repository, sums: parseSums(readFileSync(sums, 'utf8')) })) {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}
