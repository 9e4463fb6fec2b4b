import { readFileSync } from 'node:fs'
import { releaseNotes } from './release-notes.ts'
import { given, runStep, version } from './step.ts'

/** The tag, if a tag is run, names the version of package.json, and CHANGELOG.md has its section with a date. */
await runStep(() => {
  const { date } = releaseNotes(readFileSync('CHANGELOG.md', 'utf8'), version)
  if (given('GITHUB_REF_TYPE') !== 'tag') return console.log(`A rehearsal of ${version}: nothing is published.`)
  const tag = given('GITHUB_REF_NAME')
  if (!/^\d+\.\d+\.\d+$/.test(version))
    throw new Error(`package.json has the version ${version}: npm would install it by default, as if it were final`)
  if (tag !== `v${version}`) throw new Error(`the tag is ${tag}, but package.json has the version ${version}`)
  if (date === null) throw new Error(`the section ${version} of CHANGELOG.md needs the day: ## ${version} (YYYY-MM-DD)`)
})
