import { createElement, type FunctionComponent, type SVGProps } from 'react'

/**
 * Icons of Lucide 1.75.0 (ISC and MIT, see `icons-licence.md`). They are copied because the package has 1,700 of
 * them in 4,800 files.
 */
export type IconComponent = FunctionComponent<SVGProps<SVGSVGElement>>

type Shape = [element: 'circle' | 'line' | 'path' | 'polyline' | 'rect', attributes: Record<string, string>]

/** Draws an icon. Screen readers ignore an icon without a name. */
function icon(...shapes: Shape[]): IconComponent {
  const drawn = shapes.map(([element, attributes], key) => createElement(element, { key, ...attributes }))
  return properties =>
    createElement(
      'svg',
      {
        xmlns: 'http://www.w3.org/2000/svg',
        width: 24,
        height: 24,
        viewBox: '0 0 24 24',
        fill: 'none',
        stroke: 'currentColor',
        strokeWidth: 2,
        strokeLinecap: 'round',
        strokeLinejoin: 'round',
        'aria-hidden': properties['aria-label'] === undefined && properties.role === undefined,
        ...properties,
      },
      drawn,
    )
}

const path = (d: string): Shape => ['path', { d }]

export const Activity = icon(
  path(
    'M22 12h-2.48a2 2 0 0 0-1.93 1.46l-2.35 8.36a.25.25 0 0 1-.48 0L9.24 2.18a.25.25 0 0 0-.48 0l-2.35 8.36A2 2 0 0 1 4.49 12H2',
  ),
)
export const ArrowLeft = icon(path('m12 19-7-7 7-7'), path('M19 12H5'))
export const ArrowRight = icon(path('M5 12h14'), path('m12 5 7 7-7 7'))
export const Bell = icon(
  path('M10.268 21a2 2 0 0 0 3.464 0'),
  path(
    'M3.262 15.326A1 1 0 0 0 4 17h16a1 1 0 0 0 .74-1.673C19.41 13.956 18 12.499 18 8A6 6 0 0 0 6 8c0 4.499-1.411 5.956-2.738 7.326',
  ),
)
export const BookOpen = icon(
  path('M12 5v16'),
  path(
    'M20.001 19A2 2 0 0022 17V5a2 2 0 00-1.999-2L16 3.002A5 5 0 0012 5a5 5 0 00-4-2H4a2 2 0 00-2 2v12a2 2 0 001.999 2H8a5 5 0 014 2 5 5 0 014-2z',
  ),
)
export const Building2 = icon(
  path('M10 12h4'),
  path('M10 8h4'),
  path('M14 21v-3a2 2 0 0 0-4 0v3'),
  path('M6 10H4a2 2 0 0 0-2 2v7a2 2 0 0 0 2 2h16a2 2 0 0 0 2-2V9a2 2 0 0 0-2-2h-2'),
  path('M6 21V5a2 2 0 0 1 2-2h8a2 2 0 0 1 2 2v16'),
)
export const Check = icon(path('M20 6 9 17l-5-5'))
export const ChevronDown = icon(path('m6 9 6 6 6-6'))
export const ChevronRight = icon(path('m9 18 6-6-6-6'))
export const CircleCheck = icon(['circle', { cx: '12', cy: '12', r: '10' }], path('m16 9-5.5 5.5L8 12'))
export const CircleDashed = icon(
  path('M10.1 2.182a10 10 0 0 1 3.8 0'),
  path('M13.9 21.818a10 10 0 0 1-3.8 0'),
  path('M17.609 3.721a10 10 0 0 1 2.69 2.7'),
  path('M2.182 13.9a10 10 0 0 1 0-3.8'),
  path('M20.279 17.609a10 10 0 0 1-2.7 2.69'),
  path('M21.818 10.1a10 10 0 0 1 0 3.8'),
  path('M3.721 6.391a10 10 0 0 1 2.7-2.69'),
  path('M6.391 20.279a10 10 0 0 1-2.69-2.7'),
)
export const CircleHelp = icon(
  ['circle', { cx: '12', cy: '12', r: '10' }],
  path('M9 9.5a3 2.5 0 016 0c0 2-2 2-3 3.5'),
  path('M12 17h.01'),
)
export const CircleMinus = icon(['circle', { cx: '12', cy: '12', r: '10' }], path('M8 12h8'))
export const CircleOff = icon(
  path('m2 2 20 20'),
  path('M8.35 2.69A10 10 0 0 1 21.3 15.65'),
  path('M19.08 19.08A10 10 0 1 1 4.92 4.92'),
)
export const CircleSlash = icon(
  ['circle', { cx: '12', cy: '12', r: '10' }],
  ['line', { x1: '9', x2: '15', y1: '15', y2: '9' }],
)
export const CircleX = icon(['circle', { cx: '12', cy: '12', r: '10' }], path('m15 9-6 6'), path('m9 9 6 6'))
export const ClipboardCheck = icon(
  ['rect', { width: '8', height: '4', x: '8', y: '2', rx: '1', ry: '1' }],
  path('M16 4h2a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2h2'),
  path('m9 14 2 2 4-4'),
)
export const CloudOff = icon(
  path('M10.94 5.274A7 7 0 0 1 15.71 10h1.79a4.5 4.5 0 0 1 4.222 6.057'),
  path('M18.796 18.81A4.5 4.5 0 0 1 17.5 19H9A7 7 0 0 1 5.79 5.78'),
  path('m2 2 20 20'),
)
export const Coffee = icon(
  path('M10 2v2'),
  path('M14 2v2'),
  path('M16 8a1 1 0 0 1 1 1v8a4 4 0 0 1-4 4H7a4 4 0 0 1-4-4V9a1 1 0 0 1 1-1h14a4 4 0 1 1 0 8h-1'),
  path('M6 2v2'),
)
export const Copy = icon(
  ['rect', { width: '14', height: '14', x: '8', y: '8', rx: '2', ry: '2' }],
  path('M4 16c-1.1 0-2-.9-2-2V4c0-1.1.9-2 2-2h10c1.1 0 2 .9 2 2'),
)
export const Download = icon(
  path('M12 15V3'),
  path('M21 15v4a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-4'),
  path('m7 10 5 5 5-5'),
)
export const Equal = icon(
  ['line', { x1: '5', x2: '19', y1: '9', y2: '9' }],
  ['line', { x1: '5', x2: '19', y1: '15', y2: '15' }],
)
export const Eye = icon(
  path(
    'M2.062 12.348a1 1 0 0 1 0-.696 10.75 10.75 0 0 1 19.876 0 1 1 0 0 1 0 .696 10.75 10.75 0 0 1-19.876 0',
  ),
  ['circle', { cx: '12', cy: '12', r: '3' }],
)
export const EyeOff = icon(
  path('M10.733 5.076a10.744 10.744 0 0 1 11.205 6.575 1 1 0 0 1 0 .696 10.747 10.747 0 0 1-1.444 2.49'),
  path('M14.084 14.158a3 3 0 0 1-4.242-4.242'),
  path('M17.479 17.499a10.75 10.75 0 0 1-15.417-5.151 1 1 0 0 1 0-.696 10.75 10.75 0 0 1 4.446-5.143'),
  path('m2 2 20 20'),
)
export const FlaskConical = icon(
  path(
    'M14 2v6a2 2 0 0 0 .245.96l5.51 10.08A2 2 0 0 1 18 22H6a2 2 0 0 1-1.755-2.96l5.51-10.08A2 2 0 0 0 10 8V2',
  ),
  path('M6.453 15h11.094'),
  path('M8.5 2h7'),
)
export const GitBranch = icon(
  path('M15 6a9 9 0 0 0-9 9V3'),
  ['circle', { cx: '18', cy: '6', r: '3' }],
  ['circle', { cx: '6', cy: '18', r: '3' }],
)
export const History = icon(
  path('M3 12a9 9 0 1 0 9-9 9.75 9.75 0 0 0-6.74 2.74L3 8'),
  path('M3 3v5h5'),
  path('M12 7v5l4 2'),
)
export const Hourglass = icon(
  path('M5 22h14'),
  path('M5 2h14'),
  path('M17 22v-4.172a2 2 0 0 0-.586-1.414L12 12l-4.414 4.414A2 2 0 0 0 7 17.828V22'),
  path('M7 2v4.172a2 2 0 0 0 .586 1.414L12 12l4.414-4.414A2 2 0 0 0 17 6.172V2'),
)
export const Inbox = icon(
  ['polyline', { points: '22 12 16 12 14 15 10 15 8 12 2 12' }],
  path(
    'M5.45 5.11 2 12v6a2 2 0 0 0 2 2h16a2 2 0 0 0 2-2v-6l-3.45-6.89A2 2 0 0 0 16.76 4H7.24a2 2 0 0 0-1.79 1.11z',
  ),
)
export const Info = icon(['circle', { cx: '12', cy: '12', r: '10' }], path('M12 16v-4'), path('M12 8h.01'))
export const KeyRound = icon(
  path(
    'M2.586 17.414A2 2 0 0 0 2 18.828V21a1 1 0 0 0 1 1h3a1 1 0 0 0 1-1v-1a1 1 0 0 1 1-1h1a1 1 0 0 0 1-1v-1a1 1 0 0 1 1-1h.172a2 2 0 0 0 1.414-.586l.814-.814a6.5 6.5 0 1 0-4-4z',
  ),
  ['circle', { cx: '16.5', cy: '7.5', r: '.5', fill: 'currentColor' }],
)
export const LayoutGrid = icon(
  ['rect', { width: '7', height: '7', x: '3', y: '3', rx: '1' }],
  ['rect', { width: '7', height: '7', x: '14', y: '3', rx: '1' }],
  ['rect', { width: '7', height: '7', x: '14', y: '14', rx: '1' }],
  ['rect', { width: '7', height: '7', x: '3', y: '14', rx: '1' }],
)
export const ListChecks = icon(
  path('M13 5h8'),
  path('M13 12h8'),
  path('M13 19h8'),
  path('m3 17 2 2 4-4'),
  path('m3 7 2 2 4-4'),
)
export const LoaderCircle = icon(path('M21 12a9 9 0 1 1-6.219-8.56'))
export const Lock = icon(
  ['rect', { width: '18', height: '11', x: '3', y: '11', rx: '2', ry: '2' }],
  path('M7 11V7a5 5 0 0 1 10 0v4'),
)
export const Menu = icon(path('M4 5h16'), path('M4 12h16'), path('M4 19h16'))
export const MessageSquareQuote = icon(
  path('M14 14a2 2 0 0 0 2-2V8h-2'),
  path(
    'M22 17a2 2 0 0 1-2 2H6.828a2 2 0 0 0-1.414.586l-2.202 2.202A.71.71 0 0 1 2 21.286V5a2 2 0 0 1 2-2h16a2 2 0 0 1 2 2z',
  ),
  path('M8 14a2 2 0 0 0 2-2V8H8'),
)
export const Monitor = icon(
  ['rect', { width: '20', height: '14', x: '2', y: '3', rx: '2' }],
  ['line', { x1: '8', x2: '16', y1: '21', y2: '21' }],
  ['line', { x1: '12', x2: '12', y1: '17', y2: '21' }],
)
export const Moon = icon(
  path(
    'M20.985 12.486a9 9 0 1 1-9.473-9.472c.405-.022.617.46.402.803a6 6 0 0 0 8.268 8.268c.344-.215.825-.004.803.401',
  ),
)
export const OctagonAlert = icon(
  path('M12 16h.01'),
  path('M12 8v4'),
  path(
    'M15.312 2a2 2 0 0 1 1.414.586l4.688 4.688A2 2 0 0 1 22 8.688v6.624a2 2 0 0 1-.586 1.414l-4.688 4.688a2 2 0 0 1-1.414.586H8.688a2 2 0 0 1-1.414-.586l-4.688-4.688A2 2 0 0 1 2 15.312V8.688a2 2 0 0 1 .586-1.414l4.688-4.688A2 2 0 0 1 8.688 2z',
  ),
)
export const PauseCircle = icon(
  ['circle', { cx: '12', cy: '12', r: '10' }],
  ['line', { x1: '10', x2: '10', y1: '15', y2: '9' }],
  ['line', { x1: '14', x2: '14', y1: '15', y2: '9' }],
)
export const PenLine = icon(
  path('M13 21h8'),
  path(
    'M21.174 6.812a1 1 0 0 0-3.986-3.987L3.842 16.174a2 2 0 0 0-.5.83l-1.321 4.352a.5.5 0 0 0 .623.622l4.353-1.32a2 2 0 0 0 .83-.497z',
  ),
)
export const PenOff = icon(
  path(
    'm10 10-6.157 6.162a2 2 0 0 0-.5.833l-1.322 4.36a.5.5 0 0 0 .622.624l4.358-1.323a2 2 0 0 0 .83-.5L14 13.982',
  ),
  path('m12.829 7.172 4.359-4.346a1 1 0 1 1 3.986 3.986l-4.353 4.353'),
  path('m2 2 20 20'),
)
export const Pencil = icon(
  path(
    'M21.174 6.812a1 1 0 0 0-3.986-3.987L3.842 16.174a2 2 0 0 0-.5.83l-1.321 4.352a.5.5 0 0 0 .623.622l4.353-1.32a2 2 0 0 0 .83-.497z',
  ),
  path('m15 5 4 4'),
)
export const PlugZap = icon(
  path('M6.3 20.3a2.4 2.4 0 0 0 3.4 0L12 18l-6-6-2.3 2.3a2.4 2.4 0 0 0 0 3.4Z'),
  path('m2 22 3-3'),
  path('M7.5 13.5 10 11'),
  path('M10.5 16.5 13 14'),
  path('m18 3-4 4h6l-4 4'),
)
export const Plus = icon(path('M5 12h14'), path('M12 5v14'))
export const RefreshCw = icon(
  path('M3 12a9 9 0 0 1 9-9 9.75 9.75 0 0 1 6.74 2.74L21 8'),
  path('M21 3v5h-5'),
  path('M21 12a9 9 0 0 1-9 9 9.75 9.75 0 0 1-6.74-2.74L3 16'),
  path('M8 16H3v5'),
)
export const Rocket = icon(
  path('M12 15v5s3.03-.55 4-2c1.08-1.62 0-5 0-5'),
  path('M4.5 16.5c-1.5 1.26-2 5-2 5s3.74-.5 5-2c.71-.84.7-2.13-.09-2.91a2.18 2.18 0 0 0-2.91-.09'),
  path('M9 12a22 22 0 0 1 2-3.95A12.88 12.88 0 0 1 22 2c0 2.72-.78 7.5-6 11a22.4 22.4 0 0 1-4 2z'),
  path('M9 12H4s.55-3.03 2-4c1.62-1.08 5 .05 5 .05'),
)
export const ScrollText = icon(
  path('M15 12h-5'),
  path('M15 8h-5'),
  path('M19 17V5a2 2 0 0 0-2-2H4'),
  path(
    'M8 21h12a2 2 0 0 0 2-2v-1a1 1 0 0 0-1-1H11a1 1 0 0 0-1 1v1a2 2 0 1 1-4 0V5a2 2 0 1 0-4 0v2a1 1 0 0 0 1 1h3',
  ),
)
export const SearchCheck = icon(
  path('m8 11 2 2 4-4'),
  ['circle', { cx: '11', cy: '11', r: '8' }],
  path('m21 21-4.3-4.3'),
)
export const ServerOff = icon(
  path('M7 2h13a2 2 0 0 1 2 2v4a2 2 0 0 1-2 2h-5'),
  path('M10 10 2.5 2.5C2 2 2 2.5 2 5v3a2 2 0 0 0 2 2h6z'),
  path('M22 17v-1a2 2 0 0 0-2-2h-1'),
  path('M4 14a2 2 0 0 0-2 2v4a2 2 0 0 0 2 2h16.5l1-.5.5.5-8-8H4z'),
  path('M6 18h.01'),
  path('m2 2 20 20'),
)
export const ShieldAlert = icon(
  path(
    'M20 13c0 5-3.5 7.5-7.66 8.95a1 1 0 0 1-.67-.01C7.5 20.5 4 18 4 13V6a1 1 0 0 1 1-1c2 0 4.5-1.2 6.24-2.72a1.17 1.17 0 0 1 1.52 0C14.51 3.81 17 5 19 5a1 1 0 0 1 1 1z',
  ),
  path('M12 8v4'),
  path('M12 16h.01'),
)
export const ShieldCheck = icon(
  path(
    'M20 13c0 5-3.5 7.5-7.66 8.95a1 1 0 0 1-.67-.01C7.5 20.5 4 18 4 13V6a1 1 0 0 1 1-1c2 0 4.5-1.2 6.24-2.72a1.17 1.17 0 0 1 1.52 0C14.51 3.81 17 5 19 5a1 1 0 0 1 1 1z',
  ),
  path('m9 12 2 2 4-4'),
)
export const ShieldPlus = icon(
  path(
    'M20 13c0 5-3.5 7.5-7.66 8.95a1 1 0 0 1-.67-.01C7.5 20.5 4 18 4 13V6a1 1 0 0 1 1-1c2 0 4.5-1.2 6.24-2.72a1.17 1.17 0 0 1 1.52 0C14.51 3.81 17 5 19 5a1 1 0 0 1 1 1z',
  ),
  path('M9 12h6'),
  path('M12 9v6'),
)
export const ShieldQuestion = icon(
  path(
    'M20 13c0 5-3.5 7.5-7.66 8.95a1 1 0 01-.67-.01C7.5 20.5 4 18 4 13V6a1 1 0 011-1c2 0 4.5-1.2 6.24-2.72a1.17 1.17 0 011.52 0C14.51 3.81 17 5 19 5a1 1 0 011 1z',
  ),
  path('M9 9.5a3 2.5 0 016 0c0 2-2 2-3 3.5'),
  path('M12 17h.01'),
)
export const Snowflake = icon(
  path('m10 20-1.25-2.5L6 18'),
  path('M10 4 8.75 6.5 6 6'),
  path('m14 20 1.25-2.5L18 18'),
  path('m14 4 1.25 2.5L18 6'),
  path('m17 21-3-6h-4'),
  path('m17 3-3 6 1.5 3'),
  path('M2 12h6.5L10 9'),
  path('m20 10-1.5 2 1.5 2'),
  path('M22 12h-6.5L14 15'),
  path('m4 10 1.5 2L4 14'),
  path('m7 21 3-6-1.5-3'),
  path('m7 3 3 6h4'),
)
export const Sun = icon(
  ['circle', { cx: '12', cy: '12', r: '4' }],
  path('M12 2v2'),
  path('M12 20v2'),
  path('m4.93 4.93 1.41 1.41'),
  path('m17.66 17.66 1.41 1.41'),
  path('M2 12h2'),
  path('M20 12h2'),
  path('m6.34 17.66-1.41 1.41'),
  path('m19.07 4.93-1.41 1.41'),
)
export const TimerOff = icon(
  path('M10 2h4'),
  path('M4.6 11a8 8 0 0 0 1.7 8.7 8 8 0 0 0 8.7 1.7'),
  path('M7.4 7.4a8 8 0 0 1 10.3 1 8 8 0 0 1 .9 10.2'),
  path('m2 2 20 20'),
  path('M12 12v-2'),
)
export const Trash2 = icon(
  path('M10 11v6'),
  path('M14 11v6'),
  path('M19 6v14a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V6'),
  path('M3 6h18'),
  path('M8 6V4a2 2 0 0 1 2-2h4a2 2 0 0 1 2 2v2'),
)
export const TriangleAlert = icon(
  path('m21.73 18-8-14a2 2 0 0 0-3.48 0l-8 14A2 2 0 0 0 4 21h16a2 2 0 0 0 1.73-3'),
  path('M12 9v4'),
  path('M12 17h.01'),
)
export const Undo2 = icon(
  path('M9 14 4 9l5-5'),
  path('M4 9h10.5a5.5 5.5 0 0 1 5.5 5.5a5.5 5.5 0 0 1-5.5 5.5H11'),
)
export const UserRoundSearch = icon(
  ['circle', { cx: '10', cy: '8', r: '5' }],
  path('M2 21a8 8 0 0 1 10.434-7.62'),
  ['circle', { cx: '18', cy: '18', r: '3' }],
  path('m22 22-1.9-1.9'),
)
export const Users = icon(
  path('M16 21v-2a4 4 0 0 0-4-4H6a4 4 0 0 0-4 4v2'),
  path('M16 3.128a4 4 0 0 1 0 7.744'),
  path('M22 21v-2a4 4 0 0 0-3-3.87'),
  ['circle', { cx: '9', cy: '7', r: '4' }],
)
export const X = icon(path('M18 6 6 18'), path('m6 6 12 12'))
