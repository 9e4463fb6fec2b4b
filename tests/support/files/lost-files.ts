import type { Actor, Scene } from './scene.ts'
import { line, lines } from './scene.ts'

const TEXTS: Readonly<Record<string, string>> = {
  'plain.ts': lines(line('w', 1), '  two', '\tthree'),
  'open.ts': `${line('w', 1)}\nno end`,
  'crlf.ts': lines(line('w', 1), '', 'end').replaceAll('\n', '\r\n'),
  'crlf-open.ts': `${line('w', 1)}\r\nno end`,
  'mixed.ts': 'one\r\ntwo\nthree\r\n',
  'bom.ts': `\uFEFF${lines(line('w', 1), 'two')}`,
  'bom-crlf.ts': `\uFEFF${lines(line('w', 1), 'two')}`.replaceAll('\n', '\r\n'),
  'empty.ts': '',
  'blank.ts': '\n\n\n',
  'spaces.ts': 'a  \n \n\t\n  b \n',
  'signs.ts': 'é ü 漢字 🎉 \u2028 \u000c \u00a0\n',
  'return.ts': 'a\rb\nc\n',
  'dots.ts': '...\n… [+]\n$& $1\n',
  'deep/er/in.ts': lines(line('w', 1)),
  'long.ts': `${'x'.repeat(40_000)}\n`,
  'marks.ts': lines('first', `key = "sk-ant-api03-${'Ab1'.repeat(31)}-${'Cd2'.repeat(2)}AA"`, 'last'),
}

const labelOf = (name: string): string => `lost${name.replaceAll(/\W/g, '')}`

/** Commands by which a file is lost. */
const COMMANDS: readonly ((name: string) => string)[] = [
  (name) => `rm ${name}`,
  (name) => `echo other > ${name}`,
  (name) => `git checkout -q -- ${name}`,
  (name) => `echo x > x.ts && mv x.ts ${name}`,
  (name) => `python3 -c "open('${name}', 'w').write('other')"`,
  (name) => `: > ${name}`,
  (name) => `truncate -s 0 ${name}`,
  (name) => `sed -i 's/[a-z]//g' ${name}`,
  (name) => `sed -i d ${name}`,
  (name) => `head -c 3 ${name} > .part; mv -f .part ${name}`,
  (name) => `git rm -q --cached ${name} && git clean -fdxq -- ${name}`,
  (name) => `git rm -q --cached ${name}; git stash push -uq -- ${name}`,
  (name) => `mv ${name} ${name.toUpperCase()}`,
  (name) => `mkdir -p kept && mv -f ${name} kept/`,
  (name) => `mkdir -p kept && cp ${name} kept && find . -maxdepth 1 -name ${name} -delete`,
  (name) => `install -m 600 /dev/null ${name}`,
  (name) => `perl -0pi -e 's/.*//s' ${name}`,
  (name) => `git reset -q --hard; git rm -qf ${name}`,
  (name) => `git checkout -q --orphan o-${name.replaceAll(/\W/g, '')} && git rm -qf ${name}`,
]

/** Ways in which a file is lost. */
const LOSSES: readonly ((actor: Actor, scene: Scene, name: string) => void)[] = [
  ...COMMANDS.map((command) => (actor: Actor, _: Scene, name: string) => {
    actor.bash(labelOf(name), command(name))
  }),
  (actor, _, name) => actor.write(labelOf(name), name, 'other\n'),
  (_, scene, name) => scene.person(name, 'other\n'),
]

/** A file that was lost, with its bytes before that, and the call since which it had them. */
export interface Lost {
  readonly name: string
  readonly label: string
  readonly text: string
}

/** Writes files of all kinds, and loses each of them. */
export function loseFiles(scene: Scene): readonly Lost[] {
  const actor = scene.session('A')
  const lost: Lost[] = []
  for (const [at, [name, text]] of Object.entries(TEXTS).entries())
    for (const round of [0, 1, 2, 3]) {
      const own = round === 0 ? name : name.replace('.ts', `-${round}.ts`)
      const label = `w${at}x${round}`
      actor.write(label, own, text)
      lost.push({ name: own, label, text: scene.text(own) })
    }
  scene.run('git init -q && git add -A && git commit -qm one')
  for (const [at, { name }] of lost.entries()) LOSSES[at % LOSSES.length]?.(actor, scene, name)
  return lost
}
