"""Frequent function words by language: evidence of the language of a text, not of its topic."""

from __future__ import annotations

# fmt: off
_LISTS = {
    "en": """
        a about above after again all also am an and any are as at be because been before being below
        between both but by can could did do does doing down during each few for from further had has have
        having he her here hers him his how i if in into is it its itself just may me might more most must
        my no nor not now of off on once only or other our out over own same shall she should so some such
        than that the their them then there these they this those through to too under until up upon us very
        versus vs was we were what when where whether which while who whom whose why will with would you your
    """,
    "de": """
        aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist
        da dabei damit dann das dass dein deine dem den der deren des dessen die dies diese diesem diesen
        dieser dieses doch dort du durch ein eine einem einen einer eines er es etwas euch euer für gegen
        gibt habe haben hat hatte hatten hier hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins
        ist ja jede jedem jeden jeder jedes kann kein keine können könnte machen man mehr mein meine mit
        muss müssen nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seit
        sich sie sind so soll sollte sondern sowie über um und uns unser unter viel vom von vor war waren
        warum was weil welche welchem welchen welcher welches wenn wer werden wie wieder will wir wird wo
        wurde wurden während zu zum zur zwischen
    """,
    "fr": """
        a à afin ai alors après au aucun aussi autre autres aux avant avec avez avoir avons c ce ceci cela
        celle celles celui ces cet cette ceux chaque chez comme comment d dans de depuis des deux donc dont
        du elle elles en encore entre est et étaient était été être eu eux faire fait fut il ils j je jusqu
        l la le les leur leurs lors lorsque lui là m ma mais me même mes moi moins mon n ne ni nos notre
        nous on ont ou où par parce pas pendant peu peut plus plusieurs pour pourquoi pouvez près qu quand
        que quel quelle quelles quels qui quoi s sa sans se selon sera ses si soit son sont sous sur t ta te
        tes toi ton tous tout toute toutes très tu un une vers vos votre vous y
    """,
    "es": """
        a al algo algunas algunos ante antes aquel aquella así aún aunque bajo bien cada casi como cómo con
        contra cual cuál cuales cuando cuándo cuanto cuánto de del desde donde dónde dos durante e el él
        ella ellas ellos en entre era eran es esa esas ese eso esos esta está están estas este esto estos
        fue fueron ha había han hasta hay la las le les lo los más me mi mientras mis mucho muchos muy nada
        ni no nos nosotros o otra otras otro otros para pero poco por porque puede pueden pues qué que quien
        quién quienes se según ser si sí sido sin sobre son su sus también tan tanto te tiene tienen todo
        todos tras tu tus un una unas uno unos usted ustedes y ya yo
    """,
    "it": """
        a ad agli ai al alla alle allo anche ancora avere aveva c che chi ci come con contro cosa così cui
        da dagli dai dal dalla dalle dallo degli dei del dell della delle dello di dopo dove due e è ed era
        erano essere fa fino fra fu gli ha hanno i il in io l la le lei li lo loro lui ma mentre mi mia mio
        molto ne negli nei nel nell nella nelle nello noi non nostro o ogni ora per perché però più poi
        prima può qual quale quali quando quanto quella quelle quelli quello questa queste questi questo qui
        se sei senza si sia sono sopra sotto sta stata stati stato su sua sue sugli sui sul sulla sulle suo
        suoi tra tu tutta tutti tutto un una uno vi voi
    """,
    "pt": """
        à a ainda além ao aos apenas após as às até cada com como contra da das de dela dele deles depois
        desde dessa desse desta deste do dois dos durante e é ela elas ele eles em entre era eram essa essas
        esse esses esta está estas este estes eu foi foram há isso isto já lhe lhes maior mais mas me mesmo
        meu minha muito muitos na não nas nem no nos nós nossa nosso num numa o onde os ou outra outras
        outro outros para pela pelas pelo pelos per pode podem por porque qual quais quando quanto que quê
        quem são se sem ser seu seus sobre sua suas também tem têm ter teu tinha todo todos tu tudo um uma
        umas uns você vocês
    """,
    "nl": """
        aan al alle alleen als altijd andere ben bij bijna dan dat de der deze die dit doen door dus een elk
        en er ge geen had heb hebben heeft hem het hier hij hoe hun ik in is ja je kan kon kunnen maar me
        meer men met mij mijn moet moeten na naar niet niets nog nu of om omdat onder ons onze ook op over
        reeds te tegen ten toch toen tot tussen u uit uw van veel voor waar waarom wanneer want waren was
        wat we wel welk welke werd werden wie wij wil worden wordt zal ze zeer zich zij zijn zo zonder zou
    """,
    "sv": """
        alla allt än andra att av bara bli blir blev då de dem den denna deras dess dessa det detta dig din
        du där efter eller en ett får finns för från genom ha hade han hans har hennes hon honom hur här i
        icke igen in inga inom inte jag ju kan kunde man med mellan men mer mig min mot mycket när ni nu
        någon något några och också om oss på sedan sig sin sina sitt ska skulle som så till under upp ut
        utan vad var vara varför vars vem vi vid vilka vilken vilket är över
    """,
    "da": """
        ad af aldrig alle alt anden andet at bare blev blive bliver både da de dem den denne der deres det
        dette dig din disse dog du efter eller en end er et få fik for fordi fra før gennem ha har havde han
        hans hende her hos hun hvad hvem hver hvilke hvilken hvilket hvis hvor hvordan hvorfor i ikke ind
        jeg jo kan kun kunne man mange med meget mellem men mig min mod må ned noget nogle nu når og også om
        op os over på samme sig sin sine skal skulle som sådan til ud uden under var ved vi vil ville være
        været
    """,
    "no": """
        alle at av bare ble bli blir både da de deg dem den denne der deres det dette din disse du eller en
        enn er et ett etter for fordi fra før gjennom ha hadde han hans har hun hva hvem hver hvilke hvilken
        hvis hvor hvordan hvorfor i ikke inn jeg kan kunne man mange med mellom men meg min mot mye må ned
        noe noen nå når og også om opp oss over på samme seg selv sin sine skal skulle slik som så til under
        ut uten var ved vi vil ville være vært
    """,
    "fi": """
        ei eivät eli ennen että häneen hän hänen he heidän hyvin ja jo joiden joihin joka jokin jonka joissa
        jos jossa josta jota jotka jotta kanssa kaikki kuin kuinka kuka kun kuten kuitenkin me mikä miksi
        miten mitä missä milloin minkä minä minun mukaan mutta myös ne niiden niin niitä noin nyt olla oli
        olivat olisi ollut on ovat pitää se sekä sen siinä sille sillä sinä sitä tai tämä tämän tässä te
        tulee tuo vaan vai vaikka vain voi voidaan vuonna yli
    """,
    "ro": """
        a acea aceasta această aceste acest acestea acestei acestui acum ai al ale am apoi ar are as asta
        astfel au avea aveau că când care căror cât către ce cel cele cine cu cum da dacă dar dată de deci
        decât deja despre din după ea ei el ele era erau este eu face fi fiecare fie fost în între însă îi
        îl la le lor lui mai mult multe nici noi nu o ori pe pentru peste poate pot prin puțin sa să sale
        sau se și si sunt sub te toate toți tot tu un una unde unei unor unui vor voi
    """,
    "hu": """
        a abban ahhoz ahogy aki akik akkor alatt általában amely amelyek amelyet ami amikor amit arra át az
        azok azon azonban azt aztán azért be benne csak de e egy egyéb egyes egyik el ellen előtt először én
        és ez ezek ezen ezt ezért fel ha hanem hogy hogyan hol ide igen így ilyen is ki kell keresztül kívül
        közben között le lehet lenne lett lesz maga már másik meg még mely melyek mert mi miért míg mikor
        milyen mint minden mindig mit most nagyon ne nekem nem néha nincs olyan ő ők össze pedig s saját sem
        sok sokkal számára szerint szét szinte tovább továbbá több úgy után utána utolsó vagy vagyis van
        vannak vele viszont volna volt voltak
    """,
    "tr": """
        acaba ama ancak aslında az bana bazı belki ben beri bile bir birçok biri biz bu buna bunda bundan
        bunlar bunu bunun çok çünkü da daha de defa değil diğer diye dolayı en fakat gibi göre hangi hem hep
        hepsi her hiç için ile ise işte kadar karşı kendi kez ki kim kimse mı mi mu mü nasıl ne neden nerede
        nereye niçin niye o olan olarak oldu olduğu olup ona ondan onlar onu onun oysa öyle sanki şey sen şu
        siz sonra tarafından tüm var ve veya ya yani yok zaman
    """,
    "pl": """
        a aby ale ani bardzo bez będzie bo być był była było były by co czy czyli dla do gdy gdzie go i ich
        ile im inne ja jak jaka jakie jako je jeden jednak jego jej jest jestem jeszcze jeśli już kiedy
        każdy kto która które którego której który których którym lub ma mają może można mu my na nad nam
        nas nie nich niego niej nim niż o od oraz on ona one oni pan po pod podczas ponieważ przed przez
        przy są się swoje także tak tam te tego tej ten to tu tylko tym tych u w we więc wszystko z za ze że
    """,
    "cs": """
        a aby aj ale ani až bez bude budou by byl byla byli bylo být co což či dál do ho i já jak jako jaký
        jaká jaké je jeho její jejich jen jenž ještě ji jich jsem jsme jsou jste k kam každý kde kdo kdy
        když ke která které kterou který kteří ku ma má mají mezi mi mít mně mu muže může my na nad nám nás
        ne nebo neboť nebyl není nic nové o od on ona oni ono pak po pod podle pokud pouze pro proč proto
        protože před přes při s se si sice své svůj ta tak také takže tam tato te ten tento těchto to toho
        tohoto tom tomto tu tuto tyto u už v váš ve více však vy z za zda zde ze že
    """,
    "ca": """
        a abans això al als amb aquell aquella aquest aquesta aquestes aquests ara com contra cada d de del
        dels des després dins dos el ella ells els em en encara entre era és esta està estan et ets fer fins
        ha han hi ho i ja l la les li lo mateix meu molt molts més na ni no nosaltres o on per però perquè
        poc pot qual quals quan quant que què qui s sa se sense ser seu seus seva si sobre són també te tot
        tots un una unes uns va van
    """,
    "id": """
        ada adalah agar akan anda apa apakah antara atas atau bagaimana bagi bahwa banyak beberapa belum
        berapa bisa bukan dalam dan dapat dari dengan di dia hanya harus hingga ia ini itu jika juga kami
        kapan karena ke kemudian kepada ketika kita lain lebih maka mana masih melalui mengapa menjadi
        mereka namun oleh pada para pernah saat saja sangat saya sebagai sebelum sebuah secara sedang
        sehingga sejak sekitar selama seperti serta setelah setiap siapa suatu sudah tahun tanpa telah
        tentang terhadap tersebut tetapi tidak untuk yaitu yang
    """,
    "vi": """
        ai anh bạn bao bằng bị bởi các cái cả cần chỉ cho chưa có còn của cùng cũng đã đang đây đến để đi
        điều do đó được dưới gì hay hơn hoặc khi không là lại làm lên mà mỗi một mình này nào nên nếu ngày
        người như nhưng những nhiều ở ông qua ra rằng rất rồi sao sau sẽ tại thể theo thì trên trong trước
        từ tôi và vẫn vào về vì với
    """,
    "et": """
        aga ainult ei ega ehk et ja juba järgi kas ka kes kelle kõik kõige koos kui kuidas kuna kus ma me
        meie mida miks millal mille millest millised milline mis mitte mõne nad neid nende nii ning nüüd oli
        olid olla oma on pärast peab peale sa saab see seda selle selles sest siis ta teda te tema tuleb
        vaid väga või
    """,
    "lt": """
        apie ar arba aš bei bet bus būti buvo dėl iki ir iš iškart ja jai jau jei ji jie jis jo jos jų kad
        kai kaip kas kiek kiekvienas kodėl kol kuri kurie kuris kurio kurios kur labai man mes mūsų nei nes
        net nors nuo o pagal per po prie prieš savo se su tai taip tarp tas tačiau tik to todėl tu turi už
        yra šio šis
    """,
    "ru": """
        а без более бы был была были было быть в вам вас весь во вот все всего всех всё вы где да даже для
        до его ее её если есть еще ещё же за здесь и из или им их к как какая какие какой каком кем ко когда
        кого которая которого которой котором которые который которых кто ли либо между мне много может
        можно мой мы на над надо нам нас не него нее неё нет ни них но о об однако он она они оно от очень
        перед по под после потому почему при про с сам свои своих свой себя сколько со так также такой там
        те тем то того тоже той только том тот у уже чего чем через что чтобы чье эта эти этим этих это
        этого этой этом этот я является
    """,
    "uk": """
        а або але б без би був була були було бути в вам вас ви від він вона вони все всі да де для до є ж
        за з зі й його її їх і із інших к коли кого ли лише ми між мене може на над нам нас не нього ні них
        о однак по під після про при с свій себе скільки та так також такий там те ти тим то того тому той
        тільки у уже хто це цей ця ці цього цих чи чим чому що щоб як яка яке який яких якого які
    """,
    "el": """
        αλλά αν από αποτελεί αυτά αυτές αυτή αυτής αυτό αυτοί αυτός αυτού αυτών για δεν διά εάν είναι είχαν
        είχε εκ εκεί ενώ ένα έναν ένας επί επίσης έχει έχουν εως η ή ήδη ήταν θα και καθώς κατά κάθε κάποιος
        με μέσα μετά μετα μέχρι μη μία μια μιας μόνο μου να ο οι όλα όλες όλοι όμως όπου όπως όσο όταν ότι
        ου οποία οποίες οποίο οποίοι οποίος πάνω παρά περί πια πιο ποια ποιες ποιο ποιοι ποιος πολύ πότε πού
        που πόσο πόσα προς πριν πώς πως σαν σας σε στα στη στην στης στις στο στον στους συν τα τη την της
        τι τις το τον του τους των ως
    """,
    "ar": """
        أحد إذا إلا إلى أم أما أن إن إنه أنه أنها أو أول أي أين التي الذي الذين اللذان اللتان ب بعد بعض بل
        بها به بين تحت تلك ثم حتى حول حيث خلال دون ذلك ذات سوف ضد ضمن عبر على عليه عليها عن عند عندما غير ف
        فقط في فيه فيها قبل قد كان كانت كل كما كم كيف ل لا لكن له لها لم لماذا لن ليس ما ماذا متى مثل مع من
        منذ منه منها مما نحو هذا هذه هل هم هنا هناك هو هي و وقد وكان ولا ولم وما ومن وهو وهي يتم يكون
    """,
    "fa": """
        آن آنها از است اگر اما او ای این با باید بر برای بود به بودند بین پس تا تو چرا چه چگونه چون چند چیست
        خود در دارد دارند دو دیگر را روی شد شده شما شود عنوان کجا کدام کرد کرده کند که کی ما مانند من مورد
        می نیز نیست ها های هر هم همه همین هستند و وی یا یک
    """,
    "ur": """
        آپ اس اسے اسی اگر ان انہوں اور ایک ایسے بعد بھی پر تک تو تھا تھی تھے جب جس جو جہاں دو رہا رہے سب سے
        کا کب کر کرتے کرنے کس کسی کن کو کون کوئی کہ کہاں کی کیا کیسے کیوں کے گیا گئی گئے لئے میں نہیں نے وہ
        ہو ہوا ہوئے ہونے ہی ہے ہیں یا یہ
    """,
    "hi": """
        अन्य अपना अपनी अपने अब अभी आदि आप इन इस इसका इसकी इसके इसे उन उनका उनकी उनके उनको
        उन्हें उन्होंने उस उसका उसकी उसके उसे एक एवं ऐसे और कई कब कर करता करते करना करने
        कहाँ कहां का कि कितना कितनी कितने किया किस किसी किसने की कुछ के को कोई कौन कौनसा
        क्या क्यों क्योंकि गई गए गया जब जहाँ जा जाता जाती जाते जाना जिस जिसके जिसमें जो तक
        तथा तब तो था थी थे दिया दो दोनों द्वारा न नहीं ने पर पहले फिर बहुत बाद भी मगर मैं
        में यदि यह यहाँ या ये रहा रही रहे लिए लेकिन व वह वहाँ वाला वाली वाले वे साथ से हम ही
        हुआ हुई हुए है हैं हो होता होती होते होना होने
    """,
    "mr": """
        आणि आपण आपला आपल्या आहे आहेत एक एका असे असलेल्या असते अशा अनेक का काय किंवा की कधी
        केला केली केले कोण कोणत्या कोठे कसे जे जो तर तसेच ते ती तो त्या त्यांच्या त्यांनी
        त्याचा त्याच्या त्याने दिली दोन नाही पण परंतु पर्यंत म्हणून मात्र मध्ये या यांच्या
        यांनी येथे व ला साठी सर्व हा ही हे होता होती होते होतात
    """,
    "he": """
        אבל או אודות איך אין אנחנו אני את אתה אתם בו בין גם דרך הוא היא היו היה היתה הם הן הזה זאת זה זו חוץ
        יותר יש כאשר כדי כי כך כל כמו כמה לא לאחר לו להם לה לי לכל לפי לפני מאוד מה מי מן מתי מתחת נגד על עד
        עוד עם פי רק של שלא שלה שלהם שלו תחת איפה היכן למה מדוע
    """,
}
# fmt: on

STOP_WORDS: dict[str, frozenset[str]] = {language: frozenset(text.split()) for language, text in _LISTS.items()}
