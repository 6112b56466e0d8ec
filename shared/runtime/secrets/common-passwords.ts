export const commonWords: readonly string[] = `
password passwort passwd passw pass secret geheim root toor admin administrator administrador login logon signin signup
welcome willkommen bienvenue hello hallo hola ciao letmein changeme change default temporary temp test testing tester
demo guest user username master superuser sysadmin manager system server service access account internet computer
iloveyou ilove love loveyou loveme lover forever always baby babygirl babyboy honey sweetheart sweet angel princess
prince queen king sunshine moonlight starlight rainbow flower butterfly cookie chocolate cheese banana orange apple
strawberry pepper ginger peanut coffee pizza dragon monkey tiger lion panda kitten kitty puppy doggy bailey buster
charlie michael michelle jessica jennifer jordan daniel andrew ashley nicole anthony matthew joshua robert thomas
william amanda melissa samantha elizabeth stephanie alexander alexandra christian christopher jonathan benjamin
football baseball basketball soccer hockey tennis golf skateboard liverpool chelsea arsenal barcelona manchester united
realmadrid juventus yankees cowboys lakers steelers eagles superman batman spiderman starwars pokemon pikachu naruto
minecraft fortnite roblox playstation nintendo xbox google facebook instagram twitter youtube microsoft windows linux
iphone samsung android amazon netflix whatever trustno nothing something everything freedom shadow hunter killer
ninja warrior phoenix thunder lightning storm matrix zombie ghost vampire wizard magic mustang ferrari porsche mercedes
corvette harley yamaha honda toyota ford chevrolet jesus jesuschrist christ god godisgood blessed faith heaven amen
summer winter spring autumn monday tuesday wednesday thursday friday saturday sunday january february march april
june july august september october november december birthday christmas holiday vacation family friends friend
mother father sister brother mommy daddy happy lucky smile money dollar million business company office work
london paris berlin newyork california texas america england france germany spain italy india china japan
qwerty qwertz azerty asdf asdfgh zxcv zxcvbn qwer abc abcd abcde abcdef abcdefg xyz aaa zzz
the my me you is a i am this that your our for of to in new old big best good great super cool hot one two three
security secure private hacker hack cyber agent action gate robot bot api key keys token dashboard owner approver
`
  .trim()
  .split(/\s+/)

/** Well-known passwords of at least twelve characters that contain more than the words above. */
export const commonPhrases: ReadonlySet<string> = new Set(
  `
correcthorsebatterystaple correct-horse-battery-staple correcthorsebattery thequickbrownfox thequickbrownfoxjumps
thequickbrownfoxjumpsoverthelazydog loremipsumdolor loremipsumdolorsitamet tobeornottobe maytheforcebewithyou
neversaynever onceuponatime openopenopen opensesame opensesame123 abracadabra abracadabra1 supercalifragilistic
supercalifragilisticexpialidocious longpassword123 averylongpassword mylongpassword thisisapassword notapassword
incorrectpassword wrongpassword thisismypassword hunter2hunter2 tr0ub4dor&3 troubador troubadour3 dontforgetme
dontworrybehappy hakunamatata nevergiveup123 livelaughlove letitbeletitbe rememberme123 forgotpassword
ihateyou1234 fuckyou12345 fuckyoufuckyou motherfucker motherfucker1 bullshit1234 asshole12345 marijuana420
metallica123 slipknot1234 linkinpark123 greenday1234 backstreetboys onedirection justinbieber christinaaguilera
britneyspears michaeljackson cristianoronaldo leonelmessi10 manchesterunited realmadrid1234 fcbarcelona1
washington123 philadelphia sanfrancisco losangeles12 lasvegas1234 chicagobears1 dallascowboys dallascowboys1
newyorkyankees greenbaypackers pittsburgh12 indianapolis minnesota123 massachusetts pennsylvania northcarolina
southcarolina mississippi1 constantinople transformers optimusprime harrypotter1 hermione1234 voldemort123
lordoftherings gandalf12345 darthvader12 skywalker123 startrek1234 enterprise12 doctorwho123 gameofthrones
winteriscoming breakingbad1 heisenberg12 spongebob123 squarepants1 mickeymouse1 donaldduck12 winniethepooh
hellokitty12 littlemermaid strawberry12 marshmallow1 marshmallows cheeseburger cheesecake12 blueberry123
watermelon12 pineapple123 grasshopper1 rattlesnake1 hippopotamus rhinoceros12 elephant1234 chihuahua123
photography1 professional conversation organization relationship environment1 headquarters construction
championship independent1 intelligence international infrastructure administration
`
    .trim()
    .split(/\s+/),
)
