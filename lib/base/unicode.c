/* SPDX-License-Identifier: MIT
   Letters of Unicode in UTF-8: written, and put together from a letter and its marks, as names from
   macOS have them apart. */
#include <stdint.h>
#include <string.h>

#include "base/base.h"

char *kl_put_utf8(char *to, uint32_t c)
{
    if (c < 0x80) *to++ = (char)c;
    else if (c < 0x800) *to++ = (char)(0xc0 | c >> 6);
    else if (c < 0x10000) *to++ = (char)(0xe0 | c >> 12);
    else *to++ = (char)(0xf0 | c >> 18);
    if (c >= 0x10000) *to++ = (char)(0x80 | (c >> 12 & 63));
    if (c >= 0x800) *to++ = (char)(0x80 | (c >> 6 & 63));
    if (c >= 0x80) *to++ = (char)(0x80 | (c & 63));
    return to;
}

int kl_get_utf8(uint32_t *c, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    const int n = *s < 0x80 ? 1 : *s >= 0xf0 && *s < 0xf8 ? 4 : *s >= 0xe0 ? 3 : *s >= 0xc2 ? 2 : 0;
    if (*s >= 0xf8) return 0;
    *c = n == 1 ? *s : *s & (0xffu >> (n + 1));
    for (int i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80) return 0;
        *c = *c << 6 | (s[i] & 0x3f);
    }
    return n;
}

/* Marks, and pairs of letters without and with each: Unicode's canonical compositions of two
   (tests/golden/make_compositions.py). */
/* clang-format off */
static const struct {
    uint32_t mark;
    const char *pairs;
} compositions[] = {
    { 0x300, "AÀEÈIÌOÒUÙaàeèiìoòuùÜǛüǜNǸnǹЕЀИЍ"
"еѐиѝĒḔēḕŌṐōṑWẀwẁÂẦâầĂẰăằÊỀêềÔỒôồ"
"ƠỜơờƯỪưừYỲyỳἀἂἁἃἈἊἉἋἐἒἑἓἘἚἙἛἠἢἡἣ"
"ἨἪἩἫἰἲἱἳἸἺἹἻὀὂὁὃὈὊὉὋὐὒὑὓὙὛὠὢὡὣὨὪ"
"ὩὫαὰεὲηὴιὶοὸυὺωὼΑᾺΕῈΗῊ᾿῍ϊῒΙῚ῾῝ϋῢ"
"ΥῪ¨῭ΟῸΩῺ" },
    { 0x301, "AÁEÉIÍOÓUÚYÝaáeéiíoóuúyýCĆcćLĹlĺ"
"NŃnńRŔrŕSŚsśZŹzźÜǗüǘGǴgǵÅǺåǻÆǼæǽ"
"ØǾøǿ¨΅ΑΆΕΈΗΉΙΊΟΌΥΎΩΏϊΐαάεέηήιίϋΰ"
"οόυύωώϒϓГЃКЌгѓкќÇḈçḉĒḖēḗÏḮïḯKḰkḱ"
"MḾmḿÕṌõṍŌṒōṓPṔpṕŨṸũṹWẂwẃÂẤâấĂẮăắ"
"ÊẾêếÔỐôốƠỚơớƯỨưứἀἄἁἅἈἌἉἍἐἔἑἕἘἜἙἝ"
"ἠἤἡἥἨἬἩἭἰἴἱἵἸἼἹἽὀὄὁὅὈὌὉὍὐὔὑὕὙὝὠὤ"
"ὡὥὨὬὩὭ᾿῎῾῞" },
    { 0x302, "AÂEÊIÎOÔUÛaâeêiîoôuûCĈcĉGĜgĝHĤhĥ"
"JĴjĵSŜsŝWŴwŵYŶyŷZẐzẑẠẬạậẸỆẹệỌỘọộ" },
    { 0x303, "AÃNÑOÕaãnñoõIĨiĩUŨuũVṼvṽÂẪâẫĂẴăẵ"
"EẼeẽÊỄêễÔỖôỗƠỠơỡƯỮưữYỸyỹ" },
    { 0x304, "AĀaāEĒeēIĪiīOŌoōUŪuūÜǕüǖÄǞäǟȦǠȧǡ"
"ÆǢæǣǪǬǫǭÖȪöȫÕȬõȭȮȰȯȱYȲyȳИӢиӣУӮуӯ"
"GḠgḡḶḸḷḹṚṜṛṝαᾱΑᾹιῑΙῙυῡΥῩ" },
    { 0x306, "AĂaăEĔeĕGĞgğIĬiĭOŎoŏUŬuŭУЎИЙийуў"
"ЖӁжӂАӐаӑЕӖеӗȨḜȩḝẠẶạặαᾰΑᾸιῐΙῘυῠΥῨ" },
    { 0x307, "CĊcċEĖeėGĠgġIİZŻzżAȦaȧOȮoȯBḂbḃDḊ"
"dḋFḞfḟHḢhḣMṀmṁNṄnṅPṖpṗRṘrṙSṠsṡŚṤ"
"śṥŠṦšṧṢṨṣṩTṪtṫWẆwẇXẊxẋYẎyẏſẛ" },
    { 0x308, "AÄEËIÏOÖUÜaäeëiïoöuüyÿYŸΙΪΥΫιϊυϋ"
"ϒϔЕЁІЇеёіїАӒаӓӘӚәӛЖӜжӝЗӞзӟИӤиӥОӦ"
"оӧӨӪөӫЭӬэӭУӰуӱЧӴчӵЫӸыӹHḦhḧÕṎõṏŪṺ"
"ūṻWẄwẅXẌxẍtẗ" },
    { 0x309, "AẢaảÂẨâẩĂẲăẳEẺeẻÊỂêểIỈiỉOỎoỏÔỔôổ"
"ƠỞơởUỦuủƯỬưửYỶyỷ" },
    { 0x30a, "AÅaåUŮuůwẘyẙ" },
    { 0x30b, "OŐoőUŰuűУӲуӳ" },
    { 0x30c, "CČcčDĎdďEĚeěLĽlľNŇnňRŘrřSŠsšTŤtť"
"ZŽzžAǍaǎIǏiǐOǑoǒUǓuǔÜǙüǚGǦgǧKǨkǩ"
"ƷǮʒǯjǰHȞhȟ" },
    { 0x30f, "AȀaȁEȄeȅIȈiȉOȌoȍRȐrȑUȔuȕѴѶѵѷ" },
    { 0x311, "AȂaȃEȆeȇIȊiȋOȎoȏRȒrȓUȖuȗ" },
    { 0x313, "αἀΑἈεἐΕἘηἠΗἨιἰΙἸοὀΟὈυὐωὠΩὨρῤ" },
    { 0x314, "αἁΑἉεἑΕἙηἡΗἩιἱΙἹοὁΟὉυὑΥὙωὡΩὩρῥΡῬ" },
    { 0x31b, "OƠoơUƯuư" },
    { 0x323, "BḄbḅDḌdḍHḤhḥKḲkḳLḶlḷMṂmṃNṆnṇRṚrṛ"
"SṢsṣTṬtṭVṾvṿWẈwẉZẒzẓAẠaạEẸeẹIỊiị"
"OỌoọƠỢơợUỤuụƯỰưựYỴyỵ" },
    { 0x324, "UṲuṳ" },
    { 0x325, "AḀaḁ" },
    { 0x326, "SȘsșTȚtț" },
    { 0x327, "CÇcçGĢgģKĶkķLĻlļNŅnņRŖrŗSŞsşTŢtţ"
"EȨeȩDḐdḑHḨhḩ" },
    { 0x328, "AĄaąEĘeęIĮiįUŲuųOǪoǫ" },
    { 0x32d, "DḒdḓEḘeḙLḼlḽNṊnṋTṰtṱUṶuṷ" },
    { 0x32e, "HḪhḫ" },
    { 0x330, "EḚeḛIḬiḭUṴuṵ" },
    { 0x331, "BḆbḇDḎdḏKḴkḵLḺlḻNṈnṉRṞrṟTṮtṯZẔzẕ"
"hẖ" },
    { 0x338, "←↚→↛↔↮⇐⇍⇔⇎⇒⇏∃∄∈∉∋∌∣∤∥∦∼≁≃≄≅≇≈≉=≠"
"≡≢≍≭<≮>≯≤≰≥≱≲≴≳≵≶≸≷≹≺⊀≻⊁⊂⊄⊃⊅⊆⊈⊇⊉"
"⊢⊬⊨⊭⊩⊮⊫⊯≼⋠≽⋡⊑⋢⊒⋣⊲⋪⊳⋫⊴⋬⊵⋭" },
    { 0x342, "ἀἆἁἇἈἎἉἏἠἦἡἧἨἮἩἯἰἶἱἷἸἾἹἿὐὖὑὗὙὟὠὦ"
"ὡὧὨὮὩὯαᾶ¨῁ηῆ᾿῏ιῖϊῗ῾῟υῦϋῧωῶ" },
    { 0x345, "ἀᾀἁᾁἂᾂἃᾃἄᾄἅᾅἆᾆἇᾇἈᾈἉᾉἊᾊἋᾋἌᾌἍᾍἎᾎἏᾏ"
"ἠᾐἡᾑἢᾒἣᾓἤᾔἥᾕἦᾖἧᾗἨᾘἩᾙἪᾚἫᾛἬᾜἭᾝἮᾞἯᾟ"
"ὠᾠὡᾡὢᾢὣᾣὤᾤὥᾥὦᾦὧᾧὨᾨὩᾩὪᾪὫᾫὬᾬὭᾭὮᾮὯᾯ"
"ὰᾲαᾳάᾴᾶᾷΑᾼὴῂηῃήῄῆῇΗῌὼῲωῳώῴῶῷΩῼ" },
    { 0x653, "اآ" },
    { 0x654, "اأوؤيئەۀہۂےۓ" },
    { 0x655, "اإ" },
    { 0x93c, "नऩरऱळऴ" },
    { 0x9be, "েো" },
    { 0x9d7, "েৌ" },
    { 0xb3e, "େୋ" },
    { 0xb56, "େୈ" },
    { 0xb57, "େୌ" },
    { 0xbbe, "ெொேோ" },
    { 0xbd7, "ஒஔெௌ" },
    { 0xc56, "ెై" },
    { 0xcc2, "ೆೊ" },
    { 0xcd5, "ಿೀೆೇೊೋ" },
    { 0xcd6, "ೆೈ" },
    { 0xd3e, "െൊേോ" },
    { 0xd57, "െൌ" },
    { 0xdca, "ෙේොෝ" },
    { 0xdcf, "ෙො" },
    { 0xddf, "ෙෞ" },
    { 0x102e, "ဥဦ" },
    { 0x1b35, "ᬅᬆᬇᬈᬉᬊᬋᬌᬍᬎᬑᬒᬺᬻᬼᬽᬾᭀᬿᭁᭂᭃ" },
    { 0x3099, "かがきぎくぐけげこごさざしじすずせぜそぞただちぢつづてでとどはば"
"ひびふぶへべほぼうゔゝゞカガキギクグケゲコゴサザシジスズセゼソゾ"
"タダチヂツヅテデトドハバヒビフブヘベホボウヴワヷヰヸヱヹヲヺヽヾ" },
    { 0x309a, "はぱひぴふぷへぺほぽハパヒピフプヘペホポ" },
    { 0x110ba, "𑂙𑂚𑂛𑂜𑂥𑂫" },
    { 0x11127, "𑄱𑄮𑄲𑄯" },
    { 0x1133e, "𑍇𑍋" },
    { 0x11357, "𑍇𑍌" },
    { 0x114b0, "𑒹𑒼" },
    { 0x114ba, "𑒹𑒻" },
    { 0x114bd, "𑒹𑒾" },
    { 0x115af, "𑖸𑖺𑖹𑖻" },
    { 0x11930, "𑤵𑤸" }
};
/* clang-format on */

/* Korean letters are counted: a leading consonant, a vowel, perhaps a trailing consonant. */
static uint32_t compose_hangul(uint32_t first, uint32_t second)
{
    enum { S = 0xac00, L = 0x1100, V = 0x1161, T = 0x11a7, N_L = 19, N_V = 21, N_T = 28 };
    if (first - L < N_L && second - V < N_V) return S + ((first - L) * N_V + (second - V)) * N_T;
    if (first - S < N_L * N_V * N_T && (first - S) % N_T == 0 && second - T - 1 < N_T - 1)
        return first + (second - T);
    return 0;
}

/* One letter of two; 0: there is none. */
static uint32_t compose(uint32_t first, uint32_t second)
{
    for (size_t i = 0; i < sizeof compositions / sizeof *compositions; i++) {
        if (compositions[i].mark != second) continue;
        uint32_t letter = 0, whole = 0;
        for (const char *at = compositions[i].pairs; *at;) {
            at += kl_get_utf8(&letter, at);
            at += kl_get_utf8(&whole, at);
            if (letter == first) return whole;
        }
    }
    return compose_hangul(first, second);
}

bool kl_compose(char *text)
{
    char *to = text;
    uint32_t last = 0, c = 0;
    bool composed = false;
    for (const char *at = text; *at;) {
        const int n = kl_get_utf8(&c, at);
        if (!n) { /* another encoding: as it is */
            if (last) to = kl_put_utf8(to, last);
            last = 0;
            *to++ = *at++;
            continue;
        }
        const uint32_t whole = last && c >= 0x300 ? compose(last, c) : 0;
        composed |= whole > 0;
        if (!whole && last) to = kl_put_utf8(to, last);
        last = whole ? whole : c;
        at += n;
    }
    if (last) to = kl_put_utf8(to, last);
    *to = 0;
    return composed;
}

bool kl_same_name(const char *a, size_t m, const char *b, size_t n)
{
    char x[1024], y[1024];
    if (m == n && memcmp(a, b, n) == 0) return true;
    if (m >= sizeof x || n >= sizeof y) return false;
    memcpy(x, a, m), x[m] = 0;
    memcpy(y, b, n), y[n] = 0;
    kl_compose(x), kl_compose(y);
    return strcmp(x, y) == 0;
}
