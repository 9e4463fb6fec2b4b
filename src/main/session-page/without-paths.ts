/** Replaces each path. */
const LEFT_OUT = '[path]'

/** Fields whose whole value is a path, also one with spaces. */
const PATH_FIELD = /^(?:.*_)?(?:path|paths|cwd|dir|directory|file|filename|workdir)$|(?:Path|Dir|Directory|File|Cwd)$/

const PATHS: readonly RegExp[] = [
  // %2Fhome%2Fme, C%3A%5CUsers%5Cme, %252Fhome, \u002fhome\u002fme, \x2fhome and &#47;home
  /(?:\b[A-Za-z](?:%3A|:))?(?:(?:%(?:25)*(?:2F|5C)|\\u00(?:2f|5c)|\\x(?:2f|5c)|&#(?:47|92|x2f|x5c);|&(?:sol|bsol);)(?:[\w.~+@-]|%(?!(?:25)*(?:2F|5C))[0-9A-F]{2})*)+/gi,
  // -home-me-work and C--Users-me-work: the client's names for folders
  /(?<=projects[\\/]+)[A-Za-z]?-[\w-]+|(?<![\w-])-{1,2}[A-Za-z][\w-]*(?=[\\/]+[\w-]+\.jsonl)|(?<![\w-])(?:--?(?:Users|Volumes)|-(?:data|work|scratch|export|storage|nas|homes|code|builds?)-\w+|-(?:home|root|Users|Volumes|mnt|media|private|tmp|var|opt|srv|usr|workspaces?)|[A-Za-z]-)-[\w-]*\w/g,
  /\b(?:file|vscode[\w-]*|cursor|windsurf|idea|jetbrains|zed|webpack[\w-]*|unix):\/+[^\s"'<>`]+/g,
  // What has no host: sqlite:////home/me/a.db
  /\b[a-z][\w+.-]*:\/{3,}[^\s"'<>`]+/gi,
  // C:\Users\Me Too\work, whose last folder may have spaces no more
  /(?<![A-Za-z])[A-Za-z]:[\\/]+Users[\\/]+[^\\/:"'<>|*?`\n]{1,60}[\\/]+[^\s"'<>|*?`]+/g,
  // %USERPROFILE%\work, ${HOME}/work, ~me/work
  /(?:%\w*(?:PROFILE|APPDATA|HOME\w*|TE?MP)%|\$\{?(?:env:)?\w*(?:HOME|PWD|PROFILE|APPDATA|TE?MP|TMPDIR|PROJECT_DIR|workspaceFolder)\}?|(?<![\w~])~[a-z_]\w*)(?:[\\/]+[^\s"'<>|*?`\\/]+)+/g,
  // C:\Users\me, C:/Users/me and \\server\share
  /(?<![A-Za-z])[A-Za-z]:[\\/]+[^\s"'<>|*?`]+/g,
  /(?:\\\\|(?<![\w:])\/\/(?=wsl[$.]))[\w.$-]+[\\/][^\s"'<>|*?`]+/g,
  // /home/me/…, ~/…, ./… and ../… of at least one folder
  /(?:(?<![\w:/.~])|(?<=[\w\])]:|(?<![\w-])-[A-Za-z])(?!\/\/))(?:~|\.{1,2})?\/(?:\\ |[^\s/"'<>|*?`,;:()[\]{}])+(?:\/(?:\\ |[^\s/"'<>|*?`,;:()[\]{}])*)+/g,
  /(?<![\w:/.])(?:~|\.{1,2})\/[^\s/"'<>|*?`,;:()[\]{}]+/g,
  // src/main/app.ts
  /(?<![\w:/.@-])[\w.@-]+(?:\/[\w.@-]+)*\/[\w@-]*\.\w{1,10}\b/g,
]

/** Headers that name programs and formats, not files. */
const PLAIN_HEADER = /^(?:user-agent|server|via|x-app|accept.*|content-.*|x-stainless-.*)$/i
/** A program and its version, or a media type: `claude-cli/2.1.332`, `application/vnd.api.v1+json`. */
const HEADER_WORD =
  /(?<![\w./~-])(?:[\w-]+\/v?\d+(?:\.\d+)*(?:[-+][\w.]+)?|(?:application|text|image)\/[\w.+-]+)(?![\w/\\])/g
/** Fields whose keys point into the body of a request: `/messages/1/content/0/cache_control`. */
const POINTER_FIELD = /^(?:marks|cache_control|mark_order)$/
const POINTER = /^(?:\/(?:system|messages|tools|input|content|cache_control|\d+))+$/

/** Returns a copy with every path in every text and key replaced. `project` is the folder, which may have spaces. */
export const withoutPaths = <T>(value: T, project: string | null): T =>
  replaced(value, '', project === null || project.length < 2 ? null : project) as T

/** Returns a text with every path in it replaced. */
export function textWithoutPaths(text: string, project: string | null): string {
  const known =
    project === null ? text : namesOf(project).reduce<string>((rest, name) => rest.replaceAll(name, LEFT_OUT), text)
  return PATHS.reduce((rest, pattern) => rest.replaceAll(pattern, LEFT_OUT), known)
}

/** Returns a folder, and the client's names for it, the folders above it and those below them: `-home-me-work`. */
function namesOf(project: string): readonly (string | RegExp)[] {
  const ends = [...project.matchAll(/[\\/]|$/g)].map(({ index }) => index).slice(2)
  const names = ends.toReversed().map((end) => project.slice(0, end).replaceAll(/[^A-Za-z0-9]/g, '-'))
  return [project, ...[...new Set(names)].map((name) => new RegExp(`${name}[\\w-]*`, 'g'))]
}

function replaced(value: unknown, field: string, project: string | null): unknown {
  if (typeof value === 'string') {
    if (value === '') return value
    return PATH_FIELD.test(field) ? LEFT_OUT : textWithoutPaths(value, project)
  }
  if (Array.isArray(value) && field === 'headers') return value.map((one) => headerWithoutPaths(one, project))
  if (Array.isArray(value)) return value.map((one) => replaced(one, field, project))
  if (typeof value !== 'object' || value === null) return value
  const isRequest = 'exchange_id' in value && 'method' in value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      if (isRequest && key === 'path' && typeof one === 'string') return [key, requestPath(one, project)]
      const isPointer = POINTER_FIELD.test(field) && POINTER.test(key)
      return [
        isPointer ? key : textWithoutPaths(key, project),
        // The folder of a session is a path or absent.
        key === 'project' && typeof one === 'string' ? null : replaced(one, key, project),
      ]
    }),
  )
}

/** The path of a request to an API names no file, but its query may. */
function requestPath(path: string, project: string | null): string {
  const [, name = '', query = ''] = /^([^?#]*)(.*)$/s.exec(path) ?? []
  const isPlain = /^(?:\/[\w.:-]+)+\/?$/.test(name) && (project === null || !name.includes(project))
  return (isPlain ? name : textWithoutPaths(name, project)) + textWithoutPaths(query, project)
}

function headerWithoutPaths(header: unknown, project: string | null): unknown {
  if (!Array.isArray(header)) return replaced(header, '', project)
  const [name, value]: readonly unknown[] = header
  if (typeof name !== 'string' || typeof value !== 'string' || !PLAIN_HEADER.test(name))
    return header.map((one) => replaced(one, '', project))
  const words = value.match(HEADER_WORD) ?? []
  const rest = value.split(HEADER_WORD).map((part) => textWithoutPaths(part, project))
  return [name, rest.map((part, at) => part + (words[at] ?? '')).join('')]
}
